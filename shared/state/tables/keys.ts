/**
 * State keys as keys of Table storage, in the same order.
 *
 * Every entry is a partition of its own: no key can slow down another one, and a list by prefix is one walk along the
 * partition keys, which stand in order. Table keys refuse `/ \ # ?` and control characters, and how a table sorts what is not
 * ASCII is nowhere promised: so each byte of UTF-8 becomes one or two ASCII characters whose order is that of the bytes.
 * A partition key takes 512 characters, so a key of more than 256 bytes goes on in the row key.
 */

export interface TableKeys {
  partitionKey: string;
  rowKey: string;
}

const partitionBytes = 256;
/** Stands for "nothing more". Any other row key that starts with it is longer, so this one comes first. */
const noRow = '!';
/** Follows no code and begins none: whatever starts with the code of a prefix comes before that code and this. */
const last = '~';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** One code for each byte. Letters and digits stay, and so do the dashes of a uid; a slash is shown as a dot. */
const codes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x2d) return `!${digits[byte]}`;
  if (byte === 0x2d) return '-';
  // Between a dash, whatever follows it, and a slash.
  if (byte === 0x2e) return `-${last}`;
  if (byte === 0x2f) return '.';
  if (byte < 0x3b) return String.fromCharCode(byte);
  if (byte < 0x41) return `;${digits[byte - 0x3b]}`;
  if (byte < 0x5b) return String.fromCharCode(byte);
  if (byte < 0x5f) return `[${digits[byte - 0x5b]}`;
  if (byte < 0x7b) return String.fromCharCode(byte);
  const high = byte - 0x7b;
  return `${'{|}'[Math.floor(high / digits.length)]}${digits[high % digits.length]}`;
});
const bytes = new Map(codes.map((code, byte) => [code, byte]));

const encode = (text: Uint8Array): string => Array.from(text, (byte) => codes[byte]).join('');

function decode(text: string): number[] {
  const decoded: number[] = [];
  for (let at = 0; at < text.length; ) {
    const long = bytes.get(text.slice(at, at + 2));
    const byte = long ?? bytes.get(text[at] ?? '');
    if (byte === undefined)
      throw new Error(`the table contains ${JSON.stringify(text)}, which is not a key of Poolwright`);
    // A slice of one character at the end is a short code that was found as if it were a long one.
    at += long !== undefined && at + 1 < text.length ? 2 : 1;
    decoded.push(byte);
  }
  return decoded;
}

export function toTableKeys(key: string): TableKeys {
  const whole = Buffer.from(key);
  const rest = whole.subarray(partitionBytes);
  return {
    partitionKey: encode(whole.subarray(0, partitionBytes)),
    rowKey: rest.length === 0 ? noRow : encode(rest),
  };
}

export function fromTableKeys({ partitionKey, rowKey }: TableKeys): string {
  return Buffer.from([...decode(partitionKey), ...(rowKey === noRow ? [] : decode(rowKey))]).toString();
}

/**
 * Filters that together, one after the other, find the keys with the prefix behind `after`, in order. None of them has an
 * `or`, for which a table would be read from its first entry to its last.
 */
export function filtersFor(prefix: string, after: string): string[] {
  const wanted = Buffer.from(prefix);
  const passed = Buffer.from(after);
  const start = toTableKeys(prefix);
  // Within one partition: the prefix alone fills the partition key.
  if (wanted.length >= partitionBytes) {
    const from = `PartitionKey eq '${start.partitionKey}' and RowKey ge '${start.rowKey}'`;
    const to = start.rowKey === noRow ? '' : ` and RowKey lt '${start.rowKey}${last}'`;
    if (Buffer.compare(passed, wanted) < 0) return [from + to];
    const behind = toTableKeys(after);
    if (behind.partitionKey !== start.partitionKey) return [];
    return [`PartitionKey eq '${start.partitionKey}' and RowKey gt '${behind.rowKey}'${to}`];
  }
  const end = wanted.length === 0 ? '' : ` and PartitionKey lt '${start.partitionKey}${last}'`;
  if (Buffer.compare(passed, wanted) < 0) return [`PartitionKey ge '${start.partitionKey}'${end}`];
  if (passed.length === 0) return [`PartitionKey ge ''`];
  const behind = toTableKeys(after);
  const others = `PartitionKey gt '${behind.partitionKey}'${end}`;
  if (passed.length < partitionBytes) return [others];
  return [`PartitionKey eq '${behind.partitionKey}' and RowKey gt '${behind.rowKey}'${end}`, others];
}
