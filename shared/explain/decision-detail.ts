/** What is kept with a decision besides its fields: a call to a cloud, and what was chosen from. */

export interface Call {
  provider: string;
  call: string;
  answer: string;
  ms?: number;
  /** The cloud's own code, and the id of the request. */
  said?: string;
}

export interface DecisionDetail {
  call?: Call;
  /** The next candidates, best first, and how much more each costs per hour than the one that was chosen. */
  others: { text: string; dearerBy?: number }[];
  rejections: string[];
  rejected?: number;
}

export function detailIn(detail: unknown): DecisionDetail {
  if (typeof detail !== 'object' || detail === null) return { others: [], rejections: [] };
  const { candidates, prices, rejections, rejected } = detail as Record<string, unknown>;
  const call = callIn(detail as Record<string, unknown>);
  // The first candidate is the one that was chosen.
  const [best, ...others] = Array.isArray(prices) ? prices : [];
  return {
    ...(call ? { call } : {}),
    others: textsIn(candidates)
      .slice(1)
      .map((text, index) => ({ text, ...dearerBy(best, others[index]) })),
    rejections: textsIn(rejections),
    ...(typeof rejected === 'number' ? { rejected } : {}),
  };
}

function callIn({ provider, call, answer, ms, said }: Record<string, unknown>): Call | undefined {
  if (typeof provider !== 'string' || typeof call !== 'string' || typeof answer !== 'string') return undefined;
  return {
    provider,
    call,
    answer,
    ...(typeof ms === 'number' ? { ms } : {}),
    ...(typeof said === 'string' ? { said } : {}),
  };
}

/** Candidates are in the order of their price where that decides. */
const dearerBy = (best: unknown, price: unknown): { dearerBy?: number } =>
  typeof best === 'number' && typeof price === 'number' && price > best
    ? { dearerBy: Number((price - best).toPrecision(3)) }
    : {};

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
