/** Placeholders of template languages in manifests. */

const goTemplate = /\{\{-?\s*(?:(?:if|else|end|range|with)\b|\.[A-Za-z])/;
export const hasPlaceholder = (text: string): boolean => text.includes('{{');

/** Argo Workflows has placeholders and expressions, and none of the words of Go's templates. */
export const isGoTemplate = (text: string): boolean => goTemplate.test(text);

const choice =
  /^\{\{-?\s*if\s+eq\s+\.?([\w.-]+)\s+"([^"]*)"\s*-?\}\}([^{]*)\{\{-?\s*else\s*-?\}\}([^{]*)\{\{-?\s*end\s*-?\}\}$/;

/** A choice between two texts as an expression of Argo, where it is as simple as that. */
export function asExpression(text: string): string | undefined {
  const [whole, name = '', value, yes, no] = choice.exec(text) ?? [];
  if (whole === undefined) return undefined;
  // In an expression a dash is a minus, so such a name is written as an index.
  const parts = name.split('.');
  const read = parts
    .map((part, index) => (index === 0 ? part : /^\w+$/.test(part) ? `.${part}` : `['${part}']`))
    .join('');
  return `{{=${read} == '${value}' ? '${yes}' : '${no}'}}`;
}
