/** A stand-in for CloudStack with a clock that is moved by hand, and a small client that signs as it has to be signed. */
import { isObject, type JsonObject } from '../../../shared/base/json.ts';
import { type Clock, countingIds, manualClock } from '../../../shared/base/runtime.ts';
import { signatureOf } from '../../../shared/platforms/cloudstack/signature.ts';
import { type CloudStack, type CloudStackOptions, type Keys, startCloudStack } from '../../../sim/cloudstack/start.ts';

export type Values = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Answered {
  status: number;
  /** The name of the object that everything else is in. */
  name: string;
  body: JsonObject;
}

/** What was changed about a request before it was sent. */
export interface Sent {
  method?: 'GET' | 'POST';
  keys?: Keys;
  expiresIn?: number;
  signature?: string;
  version?: string;
}

export class TestClient {
  readonly #cloudstack: Pick<CloudStack, 'api' | 'user'>;
  readonly #clock: Clock;
  readonly #keys: Keys;

  constructor(cloudstack: Pick<CloudStack, 'api' | 'user'>, clock: Clock, keys: Keys = cloudstack.user) {
    this.#cloudstack = cloudstack;
    this.#clock = clock;
    this.#keys = keys;
  }

  async send(command: string, values: Values = {}, sent: Sent = {}): Promise<Answered> {
    const { method = 'POST', keys = this.#keys, expiresIn = 600, version = '3' } = sent;
    const fields: Record<string, string> = { command, response: 'json', apiKey: keys.apiKey };
    if (version !== '') {
      fields.signatureVersion = version;
      fields.expires = `${new Date(this.#clock.now() + expiresIn * 1000).toISOString().slice(0, 19)}+0000`;
    }
    for (const [name, value] of Object.entries(values)) if (value !== undefined) fields[name] = String(value);
    const signed = { ...fields, signature: sent.signature ?? signatureOf(fields, keys.secretKey) };
    const form = new URLSearchParams(signed);
    const response =
      method === 'GET'
        ? await fetch(`${this.#cloudstack.api}?${form}`)
        : await fetch(this.#cloudstack.api, { method, body: form });
    const answer: unknown = await response.json();
    const [[name = '', body] = []] = Object.entries(isObject(answer) ? answer : {});
    return { status: response.status, name, body: (isObject(body) ? body : {}) as JsonObject };
  }

  /** The list in the answer, and nothing where there is none. */
  async list(command: string, values: Values = {}): Promise<JsonObject[]> {
    const { status, body } = await this.send(command, values);
    if (status !== 200) throw new Error(`${command}: ${status} ${JSON.stringify(body)}`);
    const found = Object.entries(body).find(([name]) => name !== 'count')?.[1];
    return (found ?? []) as JsonObject[];
  }

  /** Of a list that has one. */
  async only(command: string, values: Values = {}): Promise<JsonObject> {
    const [one, ...more] = await this.list(command, values);
    if (one === undefined || more.length > 0) throw new Error(`${command} has found ${more.length + (one ? 1 : 0)}`);
    return one;
  }

  job(id: unknown): Promise<Answered> {
    return this.send('queryAsyncJobResult', { jobid: String(id) });
  }
}

export interface StandIn {
  cloudstack: CloudStack;
  user: TestClient;
  admin: TestClient;
  clock: ReturnType<typeof manualClock>;
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export async function standIn(options: CloudStackOptions = {}): Promise<StandIn> {
  const clock = manualClock();
  const cloudstack = await startCloudStack({
    clock,
    authClock: clock,
    ids: countingIds(),
    wakeByItself: false,
    ...options,
  });
  return {
    cloudstack,
    user: new TestClient(cloudstack, clock),
    admin: new TestClient(cloudstack, clock, cloudstack.admin),
    clock,
    advance: async (seconds) => {
      clock.advance(Math.round(seconds * 1000));
      await cloudstack.settle();
    },
    close: () => cloudstack.close(),
  };
}

/** What a deploy in a zone needs; names lead to ids. */
export function order(
  { site }: CloudStack,
  more: Values & { zone?: string; offering?: string; template?: string } = {},
): Values {
  const {
    zone: zoneName = 'zone-01',
    offering = 'Medium Instance',
    template = 'ubuntu-22.04-kubernetes',
    ...rest
  } = more;
  const named = <T extends { id: string; name: string }>(all: ReadonlyMap<string, T>, name: string): T => {
    const found = [...all.values()].find((one) => one.name === name);
    if (found === undefined) throw new Error(`nothing is called ${name}`);
    return found;
  };
  const zone = named(site.zones, zoneName);
  const network = [...site.networks.values()].find((one) => one.zone === zone && one.name.startsWith('default'));
  return {
    zoneid: zone.id,
    serviceofferingid: named(site.offerings, offering).id,
    templateid: named(site.templates, template).id,
    networkids: network?.id,
    ...rest,
  };
}

/** Deploys and returns what the answer has: the id of the VM and of its job. */
export async function deploy(
  { cloudstack, user }: Pick<StandIn, 'cloudstack' | 'user'>,
  more: Parameters<typeof order>[1] = {},
  client: TestClient = user,
): Promise<{ id: string; jobid: string }> {
  const { status, body } = await client.send('deployVirtualMachine', order(cloudstack, more));
  if (status !== 200) throw new Error(`the deploy was refused: ${JSON.stringify(body)}`);
  return { id: String(body.id), jobid: String(body.jobid) };
}
