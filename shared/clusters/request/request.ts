/** A ClusterRequest as its author writes it. */
import type { ClusterRequestSpec } from './schema.ts';

export interface ClusterRequest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    /** The team that it belongs to. */
    namespace: string;
    uid?: string;
    labels?: Readonly<Record<string, string>>;
    annotations?: Readonly<Record<string, string>>;
  };
  spec: ClusterRequestSpec;
}
