import type { Json } from '../../../base/json.ts';
import { nodeCrypto } from '../../../base/node-modules.ts';

/** Short, and the same for the same bytes. */
export const hashOf = (value: Json): string =>
  nodeCrypto().createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
