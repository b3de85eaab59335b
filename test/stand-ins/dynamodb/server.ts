/**
 * The part of DynamoDB's API that state needs, for the real client: GetItem, PutItem, DeleteItem and Query on tables with the keys
 * `pk` and `sk`. Items expire nowhere here, as in the first days at AWS: whoever reads must see by himself what has expired.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AttributeValue, ExpressionError, type Item, type Values } from './expression.ts';
import { type Conditions, DynamoDbError, Table } from './table.ts';

export interface DynamoDbStandIn {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`, or the `endpoint` of a client. */
  readonly url: string;
  /** How many requests were answered, by operation. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export interface DynamoDbOptions {
  /** Their names; they are there from the start. */
  tables: readonly string[];
  /** Whether the next request of this kind is answered with "throttled" instead. */
  throttles?: (operation: string) => boolean;
}

type Request = Conditions & {
  TableName: string;
  Key: Item;
  Item: Item;
  KeyConditionExpression: string;
  ExpressionAttributeValues?: Values;
  Limit?: number;
  ExclusiveStartKey?: Item;
  ReturnValuesOnConditionCheckFailure?: string;
};

/** @example const { url } = await startDynamoDb({ tables: ['poolwright'] }); */
export async function startDynamoDb({ tables, throttles }: DynamoDbOptions): Promise<DynamoDbStandIn> {
  const byName = new Map(tables.map((name) => [name, new Table()]));
  const requests = new Map<string, number>();
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    try {
      const body = JSON.parse(await textOf(request)) as Request;
      requests.set(operation, (requests.get(operation) ?? 0) + 1);
      if (throttles?.(operation)) throw new DynamoDbError('ThrottlingException', 'Rate exceeded');
      const table = byName.get(body.TableName);
      if (!table) throw new DynamoDbError('ResourceNotFoundException', 'Requested resource not found');
      send(response, 200, perform(operation, table, body));
    } catch (error) {
      refuse(response, error);
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => closed(server),
  };
}

function perform(operation: string, table: Table, body: Request): object {
  const { ReturnValuesOnConditionCheckFailure: wants } = body;
  switch (operation) {
    case 'GetItem': {
      const item = table.get(body.Key);
      return item ? { Item: item } : {};
    }
    case 'PutItem':
      return conditionally(wants, () => table.put(body.Item, body));
    case 'DeleteItem':
      return conditionally(wants, () => table.delete(body.Key, body));
    case 'Query': {
      const { KeyConditionExpression: expression, ExpressionAttributeValues: values = {}, Limit: limit = 1000 } = body;
      const { items, last } = table.query(expression, values, { limit, start: body.ExclusiveStartKey });
      return { Items: items, Count: items.length, ...(last ? { LastEvaluatedKey: last } : {}) };
    }
    default:
      throw new DynamoDbError('UnknownOperationException', `the stand-in for DynamoDB does not know ${operation}`);
  }
}

/** The item that was in the way is told only to those who ask for it. */
function conditionally(wants: string | undefined, act: () => void): object {
  try {
    act();
    return {};
  } catch (error) {
    if (!(error instanceof DynamoDbError) || wants === 'ALL_OLD') throw error;
    throw new DynamoDbError(error.name, error.message);
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  if (error instanceof DynamoDbError || error instanceof ExpressionError) {
    const item: Readonly<Record<string, AttributeValue>> | undefined =
      error instanceof DynamoDbError ? error.item : undefined;
    const type = `com.amazonaws.dynamodb.v20120810#${error.name}`;
    send(response, 400, { __type: type, message: error.message, ...(item ? { Item: item } : {}) });
    return;
  }
  send(response, 500, { __type: 'InternalServerError', message: String(error) });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
