/** What there is in the simulated Azure. */
import type { JsonObject } from '../../../shared/base/json.ts';

export type ProvisioningState = 'Creating' | 'Updating' | 'Deleting' | 'Succeeded' | 'Failed';

export interface AzureError {
  /** Of the HTTP answer. */
  status: number;
  code: string;
  message: string;
}

export interface Operation {
  id: string;
  verb: 'put' | 'delete';
  /** Null never ends. */
  endsAt: number | null;
  /** How it will end, if not well. */
  failure?: { code: string; message: string };
}

export interface AzureResource {
  seq: number;
  /** As it was first written; Azure ignores case. */
  id: string;
  type: string;
  name: string;
  createdAt: number;
  goneAt: number | null;
  state: ProvisioningState;
  /** What was put last: location, tags and the rest. */
  body: JsonObject;
  /** What Azure adds by itself: addresses, ids. Empty until the first PUT has ended. */
  facts: JsonObject;
  operation?: Operation;
  /** The operation that ended last: who asks for it afterwards hears how. */
  last?: { id: string; failure?: { code: string; message: string } };
  /** How often a PUT was accepted. */
  puts: number;
  /** When a PUT met a resource with other marks than its own. */
  takenOver: { at: number; from: JsonObject; to: JsonObject }[];
  /** Of the stand-in itself: where the API server of a cluster listens. */
  port?: number;
}

export const tagsOf = (body: JsonObject): JsonObject => {
  const { tags } = body;
  return typeof tags === 'object' && tags !== null && !Array.isArray(tags) ? tags : {};
};

export const keyOf = (id: string): string => id.toLowerCase();
