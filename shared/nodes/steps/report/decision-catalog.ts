/**
 * Every kind of decision, by its code. What is stored is the code and its fields; the sentence is made here, when somebody reads it.
 * Nothing but this catalog knows how a decision reads, and nothing decides by its words.
 */
import type { Json } from '../../../base/json.ts';
import { endDecisions } from './decisions/end.ts';
import { heldDecisions } from './decisions/held.ts';
import type { DecisionKind, Fields } from './decisions/kind.ts';
import { launchDecisions } from './decisions/launch.ts';

export const decisionCatalog = { ...launchDecisions, ...endDecisions, ...heldDecisions };

type Catalog = typeof decisionCatalog;
export type DecisionCode = keyof Catalog;
export type FieldsOf<Code extends DecisionCode> = Parameters<Catalog[Code]['text']>[0];
export type CodedDecision = { [Code in DecisionCode]: { code: Code; fields: FieldsOf<Code> } }[DecisionCode];

export const decisionText = <Code extends DecisionCode>(code: Code, fields: FieldsOf<Code>): string =>
  kindOf(code)?.text(fields) ?? '';

/** Undefined for a code that this version does not know: it was written by a newer one. */
export function kindOf(code: string): DecisionKind<Fields> | undefined {
  // What is stored may have any fields; a sentence with a gap in it is better than none.
  return Object.hasOwn(decisionCatalog, code)
    ? (decisionCatalog[code as DecisionCode] as unknown as DecisionKind<Fields>)
    : undefined;
}

interface Entry {
  code?: string;
  fields?: Json;
  text: string;
}

/** The sentence of an entry, with other fields where they are given; that of an entry without a code, or of an unknown one, is stored with it. */
export function renderDecision({ code, fields, text }: Entry, instead: Fields = {}): string {
  const known = code === undefined ? undefined : kindOf(code);
  if (!known || typeof fields !== 'object' || fields === null || Array.isArray(fields)) return text;
  try {
    return known.text({ ...fields, ...instead });
  } catch {
    // Its fields are not those that this version writes.
    return text;
  }
}
