/** How a plan can be written. */
export const planFormats = ['table', 'json', 'yaml', 'markdown'] as const;
export type PlanFormat = (typeof planFormats)[number];
