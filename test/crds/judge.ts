/** What a server makes of a case: whether it takes it, what it says, and what it stores. */

import type { Json } from '../../shared/base/json.ts';
import type { HttpMethod } from '../../shared/net/http-client.ts';
import type { ChangeCase, Corpus, CreateCase, Fields, StatusCase } from './cases.ts';

export interface Judgment {
  accepted: boolean;
  /** Of a refusal. */
  says?: string;
  /** Of what was accepted: spec and status as they were stored. */
  stored?: { spec: unknown; status: unknown };
}

export interface Server {
  /** Where the kinds of the corpus are served: `karpenter.sh`, or another group with the same kinds. */
  group: string;
  request(
    method: HttpMethod,
    path: string,
    body?: Json,
    contentType?: string,
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and a wrong shape fails the test.
  ): Promise<{ code: number; body: any }>;
}

let count = 0;
const freshName = (): string => `case-${process.pid}-${++count}`;

const collection = (server: Server, { plural }: Corpus): string => `/apis/${server.group}/v1/${plural}`;

const object = (server: Server, corpus: Corpus, spec: Json): Fields => ({
  apiVersion: `${server.group}/v1`,
  kind: corpus.kind,
  metadata: { name: freshName() },
  spec,
});

export async function judgeCreate(server: Server, corpus: Corpus, { spec }: CreateCase): Promise<Judgment> {
  // Nothing is stored, but all else is as it would be.
  const path = `${collection(server, corpus)}?dryRun=All`;
  return judgmentOf(await server.request('POST', path, object(server, corpus, spec)));
}

export async function judgeChange(server: Server, corpus: Corpus, { before, patch }: ChangeCase): Promise<Judgment> {
  return withObject(server, corpus, before, (path) =>
    server.request('PATCH', `${path}?dryRun=All`, patch, 'application/merge-patch+json'),
  );
}

export async function judgeStatus(server: Server, corpus: Corpus, { status }: StatusCase): Promise<Judgment> {
  return withObject(server, corpus, corpus.minimal, (path) =>
    server.request('PATCH', `${path}/status?dryRun=All`, { status }, 'application/merge-patch+json'),
  );
}

async function withObject(
  server: Server,
  corpus: Corpus,
  spec: Fields,
  act: (path: string) => ReturnType<Server['request']>,
): Promise<Judgment> {
  const made = await server.request('POST', collection(server, corpus), object(server, corpus, spec));
  if (made.code !== 201) throw new Error(`the object of the case was refused: ${JSON.stringify(made.body)}`);
  const path = `${collection(server, corpus)}/${made.body.metadata.name}`;
  try {
    return judgmentOf(await act(path));
  } finally {
    await server.request('DELETE', path);
  }
}

function judgmentOf({ code, body }: Awaited<ReturnType<Server['request']>>): Judgment {
  if (code === 200 || code === 201) return { accepted: true, stored: { spec: body.spec, status: body.status } };
  // Anything else than an invalid object is a broken test, not a verdict. A wrong type in a spec may also be 400.
  if (code !== 422 && code !== 400) throw new Error(`the server answered ${code}: ${JSON.stringify(body)}`);
  return { accepted: false, says: body.message };
}
