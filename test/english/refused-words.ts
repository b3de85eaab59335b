/**
 * Words that no text for people has, each with what to write instead. A platform engineer must understand a sentence at the first reading,
 * so it has the words of the documentation of Kubernetes and Karpenter, and names who does what.
 */
export const refusedWords: Readonly<Record<string, string>> = {
  whoever: 'name the actor: the host, the provider, a user',
  nobody: 'name the actor, or "no user", "no other deployment"',
  somebody: 'name the actor: a user, another deployment',
  "can't be had": 'is unavailable',
  'cannot be had': 'is unavailable',
  'could be had': 'was available',
  'to be had': 'available',
  'sold out': 'out of capacity',
  mend: 'fix',
  mended: 'fixed',
  mends: 'fixes',
  cure: 'fix',
  cures: 'fixes',
  brake: 'pause',
  'so many': 'the number',
  'so long as': 'while',
  'stands in': 'is in',
  'stand in': 'are in',
  'stood in': 'was in',
  beside: 'next to, together with, in addition to',
  'goes on': 'continues',
  'by itself': 'automatically',
  'is tried again': 'the host retries',
  'are tried again': 'the host retries',
  'waited for': 'say who waits for what',
  'is asked for': 'say who asks for it',
  'are asked for': 'say who asks for them',
  'is looked at': 'say who checks it',
  'are looked at': 'say who checks them',
  'is no': 'is not a',
  'are no': 'are not',
  'put apart': 'dead-lettered',
  'taken back': 'reclaimed',
  'takes back': 'reclaims',
  dearer: 'more expensive',
  wish: 'requirement',
  wishes: 'requirements',
  'say --yes': 'pass --yes',
  'name it with': 'pass',
  'name it by': 'pass',
  'made anew': 'created again',
  'written anew': 'rebuilt',
  'nothing any more': 'nothing',
  anew: 'again',
  'for ever': 'forever',
  'not ours': 'not owned by this deployment',
  'out of reach': 'unreachable',
  catalogue: 'catalog',
  colour: 'color',
  behaviour: 'behavior',
  labelled: 'labeled',
  licence: 'license',
};

export interface RefusedWord {
  word: string;
  instead: string;
}

const patterns = Object.entries(refusedWords).map(([word, instead]) => ({
  word,
  instead,
  pattern: new RegExp(`(?<![\\w-])${word.replaceAll(' ', '\\s+')}(?![\\w-])`, 'i'),
}));

/** `is no longer`, `is no more than` and `there is no` are plain English. */
const allowed = /\b(?:is|are)\s+no\s+(?:longer|more|later)\b|\bthere\s+(?:is|are)\s+no\b/gi;

export function refusedIn(text: string): RefusedWord[] {
  const checked = text.replace(allowed, '');
  return patterns.flatMap(({ word, instead, pattern }) => (pattern.test(checked) ? [{ word, instead }] : []));
}
