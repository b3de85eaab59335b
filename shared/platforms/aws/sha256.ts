/** SHA-256 as the signer of the AWS SDK wants it, with or without a key, on the hash that Node has. */

import type { Checksum, SourceData } from '@smithy/types';
import { nodeCrypto } from '../../base/node-modules.ts';

export class Sha256 implements Checksum {
  readonly #key: SourceData | undefined;
  #hash;

  constructor(key?: SourceData) {
    this.#key = key;
    this.#hash = this.#start();
  }

  update(data: Uint8Array): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#start();
  }

  #start() {
    return this.#key === undefined
      ? nodeCrypto().createHash('sha256')
      : nodeCrypto().createHmac('sha256', bytesOf(this.#key));
  }
}

function bytesOf(data: SourceData): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
