/**
 * The JSONPath that printer columns use: `.metadata.labels.topology\.kubernetes\.io/zone`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.spec.list[0]`, `.spec.list[*].name`.
 */
import { isObject, type Json } from '../../shared/base/json.ts';
import { own } from './types.ts';

type Step = (values: Json[]) => Json[];

const compiled = new Map<string, Step[]>();

/** All values that the path leads to, in order. */
export function readJsonPath(value: unknown, path: string): Json[] {
  let steps = compiled.get(path);
  if (!steps) {
    steps = compile(path);
    compiled.set(path, steps);
  }
  return steps.reduce<Json[]>((values, step) => step(values), [value as Json]);
}

function compile(path: string): Step[] {
  const steps: Step[] = [];
  const token =
    /\.((?:\\.|[^.[\\])+)|\[\?\(\s*@\.([^=!\s]+)\s*(==|!=)\s*["']([^"']*)["']\s*\)\]|\[(\d+)\]|\[\*\]|\['([^']*)'\]/gy;
  let match = token.exec(path);
  while (match) {
    const [whole, field, filterField, operator, wanted, index, quoted] = match;
    if (field !== undefined) steps.push(fieldStep(field.replaceAll(/\\(.)/g, '$1')));
    else if (quoted !== undefined) steps.push(fieldStep(quoted));
    else if (filterField !== undefined) {
      steps.push((values) =>
        values.flatMap((value) =>
          Array.isArray(value)
            ? value.filter((item) => isObject(item) && (String(item[filterField]) === wanted) === (operator === '=='))
            : [],
        ),
      );
    } else if (index !== undefined) {
      steps.push((values) =>
        values.flatMap((value) => {
          const item = Array.isArray(value) ? value[Number(index)] : undefined;
          return item === undefined ? [] : [item];
        }),
      );
    } else if (whole === '[*]') steps.push((values) => values.flatMap((value) => (Array.isArray(value) ? value : [])));
    match = token.exec(path);
  }
  return steps;
}

function fieldStep(name: string): Step {
  return (values) =>
    values.flatMap((value) => {
      const item = isObject(value) ? own(value, name) : undefined;
      return item === undefined || item === null ? [] : [item];
    });
}
