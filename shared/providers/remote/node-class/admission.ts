/** What the webhook says of a class before it is stored, and which defaults it writes where that was asked for. */
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { mistakesIn } from '../../../base/problems.ts';
import type { NodeClassAdmission } from '../../manifest.ts';
import { parseNodeClass } from './parse.ts';

export const admission: NodeClassAdmission = {
  validate: (spec: Json) => {
    const parsed = parseNodeClass(spec);
    return parsed.ok ? [] : mistakesIn(parsed.error);
  },
  defaults: (spec: JsonObject) => ({
    ...spec,
    userDataSettings: { template: true, ...(isObject(spec.userDataSettings) ? spec.userDataSettings : {}) },
  }),
};
