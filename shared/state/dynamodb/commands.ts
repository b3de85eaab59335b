/** What of the library is used. Loaded through this file, a bundle holds no more of it: all of it takes a function twice as long to load. */
export {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
