/** Tables of items with a partition key and a sort key, both strings; one request at a time, so conditions hold. */
import { compareKeys, ExpressionError, type Item, parseExpression, type Values } from './expression.ts';

export interface Conditions {
  ConditionExpression?: string;
  ExpressionAttributeValues?: Values;
}

/** What a request names may not be as it says; the name is the one that the SDK knows. */
export class DynamoDbError extends Error {
  readonly item: Item | undefined;

  constructor(name: string, message: string, item?: Item) {
    super(message);
    this.name = name;
    this.item = item;
  }
}

interface Row {
  partition: string;
  sort: string;
  item: Item;
}

export class Table {
  readonly #rows = new Map<string, Row>();

  get(key: Item): Item | undefined {
    return this.#rows.get(rowKey(key))?.item;
  }

  put(item: Item, conditions: Conditions): void {
    this.#check(item, conditions);
    const { partition, sort } = keysOf(item);
    this.#rows.set(rowKey(item), { partition, sort, item });
  }

  delete(key: Item, conditions: Conditions): void {
    this.#check(key, conditions);
    this.#rows.delete(rowKey(key));
  }

  /** In the order of the sort keys, behind the start key. */
  query(
    expression: string,
    values: Values,
    { limit = 1000, start }: { limit?: number; start?: Item | undefined } = {},
  ): { items: Item[]; last?: Item } {
    const meets = parseExpression(expression, values);
    const after = start && keysOf(start).sort;
    const found = [...this.#rows.values()]
      .filter(({ item, sort }) => meets(item) && (after === undefined || compareKeys(sort, after) > 0))
      .sort((left, right) => compareKeys(left.sort, right.sort));
    const items = found.slice(0, limit).map(({ item }) => item);
    const last = found.length > limit ? items.at(-1) : undefined;
    return last?.pk && last.sk ? { items, last: { pk: last.pk, sk: last.sk } } : { items };
  }

  #check(key: Item, { ConditionExpression: expression, ExpressionAttributeValues: values = {} }: Conditions): void {
    if (expression === undefined) return;
    const there = this.get(key);
    if (!parseExpression(expression, values)(there)) {
      throw new DynamoDbError('ConditionalCheckFailedException', 'The conditional request failed', there);
    }
  }
}

function keysOf({ pk, sk }: Item): { partition: string; sort: string } {
  if (!pk || !sk || !('S' in pk) || !('S' in sk) || sk.S === '') {
    throw new ExpressionError('One or more parameter values were invalid: the keys pk and sk must be strings');
  }
  return { partition: pk.S, sort: sk.S };
}

const rowKey = (item: Item): string => {
  const { partition, sort } = keysOf(item);
  return `${partition}\0${sort}`;
};
