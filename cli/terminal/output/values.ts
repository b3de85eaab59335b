/** How times and money are written in tables. */

/** As kubectl writes an age: the two largest units while they matter. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (days < 2) return `${hours}h`;
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return `${days}d`;
  return withRest(Math.floor(days / 365), 'y', days % 365, 'd');
}

const withRest = (whole: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;

/** Since a time as it stands in an object; `unknown` for what is no time. */
export function ageSince(time: string | undefined, now: number): string {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? 'unknown' : ageText(now - at);
}

/** An unknown price is never shown as nothing. */
export const priceText = (perHour: number | undefined): string =>
  perHour === undefined ? 'unknown' : `$${money(perHour, 3)}/h`;

export const perMonthText = (price: number | undefined): string =>
  price === undefined ? 'unknown' : `$${money(price, 2)}/month`;

/** Small sums with all that they have, large ones so that they can be read. @param digits Of a small one, at least. */
function money(amount: number, digits: number): string {
  if (amount < 1) return trimmed(amount.toFixed(5), digits);
  return amount < 1000 ? amount.toFixed(2) : String(Math.round(amount)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Zeros at the end go, down to so many digits. */
function trimmed(text: string, digits: number): string {
  const end = text.indexOf('.') + 1 + digits;
  return text.slice(0, end) + text.slice(end).replace(/0+$/, '');
}
