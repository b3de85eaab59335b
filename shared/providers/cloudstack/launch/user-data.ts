/** The user data of one machine: the class's text with its variables, encoded as CloudStack takes it. */
import { ok, type Result } from '../../../base/result.ts';
import { renderUserData } from '../../../bootstrap/render-user-data.ts';
import { encodeUserData } from '../../../bootstrap/user-data.ts';
import type { ProviderContext } from '../../context.ts';
import type { CreateRequest } from '../../contract.ts';
import type { CloudStackNodeClassSpec } from '../node-class/schema.ts';
import { userDataLimits } from '../node-class/user-data.ts';

export interface UserDataParts {
  cluster: { name: string; endpoint?: string | undefined; ca?: string | undefined; version?: string | undefined };
  /** The Secret with the credentials; its keys that begin with `join-` may stand in user data. */
  secret: { namespace: string; name: string };
  secrets: ProviderContext['secrets'];
  /** The option; absent: as CloudStack has it where nobody changed it. */
  mostCharacters: number | undefined;
}

const field = 'spec.userData';

/** Why a machine's id is unknown, and where it learns it itself. */
const unknownId =
  'CloudStack gives the id with the deploy, unless the option customIds is set; let the machine ask for it: "$(cloud-init query v1.instance_id)"';

export async function userDataFor(
  spec: Pick<CloudStackNodeClassSpec, 'userData' | 'userDataSettings'>,
  request: CreateRequest,
  { id, providerID }: { id: string | undefined; providerID: string | undefined },
  parts: UserDataParts,
  signal: AbortSignal,
): Promise<Result<string | undefined>> {
  const { userData = '', userDataSettings: settings = {} } = spec;
  if (userData.trim() === '') return ok(undefined);
  const { cluster, secret, secrets } = parts;
  const text =
    settings.template === false
      ? ok(userData)
      : await renderUserData(userData, {
          field,
          node: { ...request, ...request.offering, ...clusterFacts(cluster), id, providerID },
          secret: { ...secret, read: () => secrets.read(secret, signal) },
          absent: { 'node.id': unknownId, 'node.provider-id': unknownId },
        });
  if (!text.ok) return text;
  const encoded = encodeUserData(text.value, userDataLimits(parts.mostCharacters), field, settings.compress);
  return encoded.ok ? ok(encoded.value.base64) : encoded;
}

const clusterFacts = ({ name, endpoint, ca, version }: UserDataParts['cluster']) => ({
  clusterName: name,
  clusterEndpoint: endpoint,
  clusterCA: ca,
  kubernetesVersion: version,
});
