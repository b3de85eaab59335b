import type { Problem } from '../../base/result.ts';

/** What a text holds; an empty text holds nothing. The problem does not quote the text: it may contain user data. */
export function parseJson(json: string, path: string, problems: Problem[]): unknown {
  if (json.trim() === '') return;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    problems.push({ path, message: 'is not JSON' });
    return;
  }
}
