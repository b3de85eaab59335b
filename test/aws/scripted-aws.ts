/** A server that answers requests of AWS's JSON protocols as a test says, and notes what was asked. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AwsConnection } from '../../shared/platforms/aws/client-options.ts';

export interface Asked {
  /** The last part of the target: `GetParameter`. */
  action: string;
  body: Record<string, unknown>;
}

export type Answer = { status?: number; body: object } | 'hang-up';

export interface ScriptedAws {
  connection: Required<AwsConnection>;
  readonly asked: Asked[];
  close(): Promise<void>;
}

/** An error as AWS writes it. */
export const awsError = (code: string, message = ''): Answer => ({
  status: 400,
  body: { __type: `com.amazonaws#${code}`, message },
});

export async function startScriptedAws(answer: (asked: Asked) => Answer | Promise<Answer>): Promise<ScriptedAws> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const action = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
      const one = { action, body: JSON.parse(Buffer.concat(chunks).toString() || '{}') as Asked['body'] };
      asked.push(one);
      const given = await answer(one);
      if (given === 'hang-up') {
        request.socket.destroy();
        return;
      }
      response
        .writeHead(given.status ?? 200, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(given.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    connection: {
      region: 'eu-west-1',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
