/** What Argo makes of a text for given parameters, as far as the export uses placeholders. */
export const filledIn = (text: string, parameters: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{workflow\.parameters\.([\w-]+)\}\}/g, (whole, name: string) => parameters[name] ?? whole);
