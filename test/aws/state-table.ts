/** A table for the state, as the deployment makes it. */
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type AwsConnection, clientOptions } from '../../shared/platforms/aws/client-options.ts';
import { stateTable } from '../../shared/state/dynamodb/item.ts';

export async function createStateTable(connection: AwsConnection, table: string): Promise<void> {
  const client = new DynamoDBClient(clientOptions(connection));
  const { partitionKey, sortKey } = stateTable;
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [partitionKey, sortKey].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
    }),
  );
  client.destroy();
}
