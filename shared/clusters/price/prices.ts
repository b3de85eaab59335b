/** What Azure's price list says of one location. What it lacks is unknown. */

export interface AzurePrices {
  /** Of all its prices, such as `USD`. */
  currency: string;
  /** Per hour, by VM size. */
  sizes: Readonly<Record<string, { readonly onDemand?: number | undefined }>>;
  /** Per hour and control plane. The tier Free costs nothing. */
  tiers: { readonly Standard?: number | undefined; readonly Premium?: number | undefined };
}
