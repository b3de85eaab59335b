/**
 * Fixed addresses: the class gives ranges, and each VM takes a free address. CloudStack refuses one that is in use, so a wrong guess
 * costs a call and nothing else; what is known to be in use is not tried.
 */
import type { JsonObject } from '../../../base/json.ts';
import { asObject } from '../../../base/json.ts';
import { nodeCrypto } from '../../../base/node-modules.ts';
import { RecentMap } from '../../../base/recent-map.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import type { Params } from '../../../platforms/cloudstack/fields.ts';
import type { State } from '../../../state/contract.ts';
import { addressRange } from '../node-class/parse.ts';

export interface AddressesParts {
  client: Pick<CloudStackClient, 'list'>;
  scope(signal: AbortSignal): Promise<Result<Params>>;
  state: State;
  clock: Clock;
}

const keptMs = 10_000;
/** A deploy that was given an address shows it within this time, or has failed. */
const takenSeconds = 600;
/** In place of a token: another process, or something that is not ours. */
const elsewhere = '';
/** Ranges may hold millions; nobody has so many nodes in one network. */
const mostTried = 4096;

export class Addresses {
  readonly #parts: AddressesParts;
  readonly #used = new RecentMap<string, { at: number; addresses: Promise<Result<ReadonlySet<string>>> }>({ max: 50 });
  /** By network and address: given to an attempt by this process, or refused. */
  readonly #taken: RecentMap<string, string>;

  constructor(parts: AddressesParts) {
    this.#parts = parts;
    const { clock } = parts;
    this.#taken = new RecentMap({ max: 20_000, forget: { afterMs: takenSeconds * 1000, now: () => clock.now() } });
  }

  /** A free address for the attempt of this token; the same attempt gets the same one. */
  async take(
    networkId: string,
    ranges: readonly string[],
    token: string,
    signal: AbortSignal,
  ): Promise<Result<string>> {
    const used = await this.#usedIn(networkId, signal);
    if (!used.ok) return used;
    const spans = ranges.flatMap((range) => addressRange(range) ?? []);
    const count = spans.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    // Two processes that ask at once begin at different places.
    const start = Number.parseInt(nodeCrypto().createHash('sha256').update(token).digest('hex').slice(0, 8), 16);
    for (let tried = 0; tried < Math.min(count, mostTried); tried++) {
      const address = nth(spans, (start + tried) % count);
      const key = `${networkId}/${address}`;
      const holder = this.#taken.get(key);
      if ((used.value.has(address) || holder !== undefined) && holder !== token) continue;
      // Before anything is waited for: others of this process ask at the same moment.
      this.#taken.set(key, token);
      if (await this.#hold(key, token)) return ok(address);
      this.#taken.set(key, elsewhere);
    }
    return failed(
      'insufficient-capacity',
      `all ${count} addresses of spec.staticAddresses in network ${networkId} are in use; add addresses`,
    );
  }

  /** CloudStack says that somebody else has it. */
  refused(networkId: string, address: string): void {
    this.#taken.set(`${networkId}/${address}`, elsewhere);
    this.#used.delete(networkId);
  }

  /** Other processes see it too. Without state CloudStack is asked in vain now and then. */
  async #hold(key: string, token: string): Promise<boolean> {
    const { state } = this.#parts;
    const entry = `cloudstack/address/${key}`;
    try {
      const held = await state.get<{ token: string }>(entry);
      if (held !== undefined) return held.value.token === token;
      return (await state.put(entry, { token }, { ifVersion: null, ttlSeconds: takenSeconds })) !== undefined;
    } catch {
      return true;
    }
  }

  #usedIn(networkId: string, signal: AbortSignal): Promise<Result<ReadonlySet<string>>> {
    const { clock } = this.#parts;
    const known = this.#used.get(networkId);
    if (known !== undefined && clock.now() - known.at < keptMs) return known.addresses;
    const addresses = this.#look(networkId, signal);
    this.#used.set(networkId, { at: clock.now(), addresses });
    return addresses;
  }

  async #look(networkId: string, signal: AbortSignal): Promise<Result<ReadonlySet<string>>> {
    const scope = await this.#parts.scope(signal);
    if (!scope.ok) return scope;
    const params = { networkid: networkId, details: ['nics'], ...scope.value, listall: true };
    const listed = await this.#parts.client.list<JsonObject>('listVirtualMachines', params, signal);
    if (!listed.ok) {
      this.#used.delete(networkId);
      return listed;
    }
    const nics = listed.value.flatMap(({ nic }) => (Array.isArray(nic) ? nic.map((one) => asObject(one)) : []));
    return ok(
      new Set(
        nics.flatMap((nic) => (nic?.networkid === networkId && typeof nic.ipaddress === 'string' ? nic.ipaddress : [])),
      ),
    );
  }
}

function nth(spans: readonly { first: number; last: number }[], index: number): string {
  let left = index;
  for (const { first, last } of spans) {
    const length = last - first + 1;
    if (left < length) return addressText(first + left);
    left -= length;
  }
  return '';
}

const addressText = (number: number): string =>
  [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join('.');
