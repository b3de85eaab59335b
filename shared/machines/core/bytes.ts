/** Quantities of memory and disks. The API server has checked how they are written. */
const units: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Undefined for what is no quantity. */
export function bytesOf(quantity: string | number): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d*)?(?:[eE]\d+)?)([a-zA-Z]*)$/.exec(String(quantity)) ?? [];
  const factor = units[unit];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

const inUnits = (quantity: string | number | undefined, unit: number): number | undefined => {
  const bytes = quantity === undefined ? undefined : bytesOf(quantity);
  return bytes === undefined ? undefined : Math.ceil(bytes / unit);
};

export const mebibytes = (quantity: string | number | undefined): number | undefined => inUnits(quantity, 2 ** 20);
export const gibibytes = (quantity: string | number | undefined): number | undefined => inUnits(quantity, 2 ** 30);
