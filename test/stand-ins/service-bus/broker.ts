/**
 * A stand-in for Service Bus: an AMQP broker that the real client talks to over a plain socket of loopback. It does what
 * queues without sessions do: send, batches, peek-lock, settlement by link and by lock token, schedules, renewal, peek, dead
 * letters. Anybody is let in.
 */
import { randomBytes } from 'node:crypto';
import type { AddressInfo, Server } from 'node:net';
import rhea, { type Connection, type EventContext, type Message, type Receiver, type Sender } from 'rhea';
import { type Clock, systemClock } from '../../../shared/base/runtime.ts';
import { systemTimers, type Timers } from '../../../shared/base/timers.ts';
import { Entity, type Settlement } from './entity.ts';
import { manage } from './management.ts';
import { dueAtOf, messagesIn, outgoing, tagOf, tokenOf } from './wire.ts';

export interface BrokerQueueOptions {
  lockSeconds: number;
  maxDeliveryCount: number;
}

export interface BrokerOptions {
  port?: number;
  clock?: Clock;
  timers?: Timers;
  /** The queues there are. A link to any other is refused as the service does. */
  queues: Record<string, BrokerQueueOptions>;
}

export interface Broker {
  readonly port: number;
  /** What a client needs to come here. */
  readonly connectionString: string;
  /** Makes a queue, or changes nothing when there is one. */
  ensureQueue(name: string, options: BrokerQueueOptions): void;
  /** Every connection breaks, as when the service moves a namespace. */
  dropConnections(): void;
  close(): Promise<void>;
}

/** A link with unused credit is looked at this often: locks end and schedules come due without anybody asking. */
const lookAgainMs = 50;
/** Of the Standard tier. */
const largestMessage = 256 * 1024;
const deadLetters = /\/\$(deadletterqueue|DeadLetterQueue)$/;
const management = /\/\$management$/;

export async function startServiceBus(options: BrokerOptions): Promise<Broker> {
  const { clock = systemClock, timers = systemTimers, port = 0 } = options;
  const token = () => randomBytes(16).toString('hex');
  const queues = new Map<string, Entity<Message>>();
  const ensureQueue = (name: string, queue: BrokerQueueOptions): void => {
    const key = name.toLowerCase();
    if (!queues.has(key)) queues.set(key, new Entity<Message>({ clock, token, ...queue }));
  };
  for (const [name, queue] of Object.entries(options.queues)) ensureQueue(name, queue);

  const entityAt = (address: string): Entity<Message> | undefined => {
    const path = address.replace(management, '');
    const queue = queues.get(path.replace(deadLetters, '').toLowerCase());
    return deadLetters.test(path) ? queue?.dead : queue;
  };

  const container = rhea.create_container({ id: 'service-bus', non_fatal_errors: [] });
  // The client proves who it is with a token on $cbs, not here.
  container.sasl_server_mechanisms.enable_anonymous();
  container.sasl_server_mechanisms.MSSBCBS = container.sasl_server_mechanisms.ANONYMOUS;
  const connections = new Set<Connection>();
  /** Links of receivers, with what they listen to. */
  const listeners = new Map<Sender, Entity<Message>>();
  let cancelLook: (() => void) | undefined;

  const give = (sender: Sender, entity: Entity<Message>): void => {
    const credit = creditOf(sender);
    for (const stored of credit > 0 ? entity.receive(credit) : []) {
      sender.send(outgoing(stored, 'active'), tagOf(stored.lock?.token ?? ''));
    }
  };
  const giveAll = (): void => {
    for (const [sender, entity] of listeners) if (sender.is_open()) give(sender, entity);
    lookLater();
  };
  const lookLater = (): void => {
    const waiting = [...listeners].some(([sender, entity]) => creditOf(sender) > 0 && entity.size > 0);
    if (waiting && !cancelLook) {
      cancelLook = timers.after(lookAgainMs, () => {
        cancelLook = undefined;
        giveAll();
      });
    }
  };

  const answer = ({ connection, message }: EventContext, status: number, description: string, more: object): void => {
    const reply = [...connectionSenders(connection)].find(
      (sender) => sender.target?.address === message?.reply_to || sender.name === message?.reply_to,
    );
    reply?.send({
      to: message?.reply_to,
      correlation_id: message?.message_id,
      body: '',
      ...more,
      application_properties: {
        statusCode: rhea.types.wrap_int(status),
        'status-code': rhea.types.wrap_int(status),
        statusDescription: description,
        'status-description': description,
        ...('condition' in more ? { errorCondition: more.condition } : {}),
      },
    } as Message);
  };

  container.on('connection_open', ({ connection }: EventContext) => connections.add(connection));
  container.on('disconnected', ({ connection }: EventContext) => {
    connections.delete(connection);
    for (const sender of listeners.keys()) if (sender.connection === connection) listeners.delete(sender);
  });
  // A client that is killed leaves a broken socket behind, which is its own affair.
  for (const event of ['error', 'connection_error', 'session_error', 'protocol_error']) container.on(event, () => {});

  container.on('receiver_open', ({ receiver }: EventContext) => {
    const address = receiver?.target?.address;
    if (!receiver || !address) return;
    receiver.set_target({ address });
    if (address !== '$cbs' && !entityAt(address)) refuse(receiver, address);
  });

  container.on('sender_open', ({ sender }: EventContext) => {
    const address = String(sender?.source?.address ?? '');
    if (!sender || address === '') return;
    sender.set_source({ address });
    sender.set_target(sender.target);
    connectionSenders(sender.connection).add(sender);
    if (address === '$cbs' || management.test(address)) return;
    const entity = entityAt(address);
    if (!entity) return refuse(sender, address);
    alwaysAnswerDrains(sender);
    listeners.set(sender, entity);
  });
  for (const event of ['sender_close', 'sender_error']) {
    container.on(event, ({ sender }: EventContext) => {
      if (!sender) return;
      listeners.delete(sender);
      connectionSenders(sender.connection).delete(sender);
    });
  }

  container.on('message', (context: EventContext) => {
    const { receiver, message, delivery } = context;
    const address = String(receiver?.target?.address ?? '');
    if (!message || !delivery) return;
    if (address === '$cbs') {
      delivery.accept();
      return answer(context, 202, 'Accepted', {});
    }
    const entity = entityAt(address);
    if (!entity) return delivery.reject({ condition: 'amqp:not-found', description: `no queue ${address}` });
    if (management.test(address)) {
      delivery.accept();
      const { status, description, ...more } = manage(entity, message);
      answer(context, status, description, more);
      return giveAll();
    }
    for (const one of messagesIn(message, delivery.format)) entity.enqueue(one, dueAtOf(one));
    delivery.accept();
    giveAll();
  });

  // A flow with the drain flag wants all there is, and then the rest of its credit back.
  const flows = ({ sender }: EventContext): void => {
    const entity = sender && listeners.get(sender);
    if (!sender || !entity) return;
    give(sender, entity);
    lookLater();
  };
  container.on('sendable', flows);
  container.on('sender_draining', (context: EventContext) => {
    flows(context);
    context.sender?.set_drained(true);
  });

  const settleByLink = (outcome: (context: EventContext) => Settlement) => (context: EventContext) => {
    const { sender, delivery } = context;
    const entity = sender && listeners.get(sender);
    if (!delivery || !entity) return;
    const settled = entity.settle(tokenOf(delivery.tag as Buffer), outcome(context));
    // The receiver waits for our word: with it the settlement is final.
    delivery.update(true, settled ? outcomes.accepted().described() : lockLost());
    giveAll();
  };
  container.on(
    'accepted',
    settleByLink(() => ({ as: 'completed' })),
  );
  const abandon = settleByLink(({ delivery }) => ({
    as: 'abandoned',
    properties: delivery?.remote_state?.message_annotations ?? {},
  }));
  container.on('released', abandon);
  container.on('modified', abandon);
  container.on(
    'rejected',
    settleByLink(({ delivery }) => {
      const { DeadLetterReason, DeadLetterErrorDescription, ...properties } = delivery?.remote_state?.error?.info ?? {};
      return { as: 'dead', reason: DeadLetterReason, description: DeadLetterErrorDescription, properties };
    }),
  );

  // In a variable: the types don't know the second one.
  const senderOptions = { autosettle: false, treat_modified_as_released: false };
  const server = container.listen({
    host: '127.0.0.1',
    port,
    sender_options: senderOptions,
    receiver_options: { autoaccept: false, credit_window: 200, max_message_size: largestMessage },
  }) as Server;
  server.on('connection', (socket) => socket.setNoDelay(true));
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const listening = (server.address() as AddressInfo).port;

  const dropConnections = (): void => {
    for (const connection of connections) {
      connection.options.reconnect = false;
      socketOf(connection)?.destroy();
    }
  };
  return {
    port: listening,
    connectionString: `Endpoint=sb://127.0.0.1:${listening};SharedAccessKeyName=any;SharedAccessKey=any;UseDevelopmentEmulator=true;`,
    ensureQueue,
    dropConnections,
    close: async () => {
      cancelLook?.();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      dropConnections();
      await closed;
    },
  };
}

function refuse(link: Sender | Receiver, address: string): void {
  link.close({
    condition: 'amqp:not-found',
    description: `The messaging entity '${address}' could not be found.`,
  });
}

/** The library makes outcomes, but does not type them. */
interface Outcome {
  described(): unknown;
}
const outcomes = rhea.message as typeof rhea.message & { accepted(): Outcome; rejected(fields: object): Outcome };

const lockLost = (): unknown =>
  outcomes
    .rejected({ error: { condition: 'com.microsoft:message-lock-lost', description: 'The lock supplied is invalid.' } })
    .described();

/** What the library's types leave out. */
interface SenderInside {
  credit: number;
  delivery_count: number;
  _draining: boolean;
  _drained: boolean;
  _get_drain(): boolean;
}

/** The library answers a drain only when credit is left over; a client that waits for the answer would time out. */
function alwaysAnswerDrains(sender: Sender): void {
  const inside = sender as Sender & SenderInside;
  inside._get_drain = () => {
    if (!inside._draining || !inside._drained) return false;
    inside.delivery_count += inside.credit;
    inside.credit = 0;
    inside._drained = false;
    return true;
  };
}

const creditOf = (sender: Sender): number => (sender as Sender & Partial<SenderInside>).credit ?? 0;
const socketOf = (connection: Connection): { destroy(): void } | undefined =>
  (connection as Connection & { socket?: { destroy(): void } }).socket;

const senders = new WeakMap<Connection, Set<Sender>>();
function connectionSenders(connection: Connection): Set<Sender> {
  const known = senders.get(connection) ?? new Set();
  senders.set(connection, known);
  return known;
}
