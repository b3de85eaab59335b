/**
 * Modules of Node that take milliseconds to load, with all that they load themselves. A function is ready to act before it asks anybody,
 * and many a call never does: so these are loaded when they are first used, and not imported.
 */
import type crypto from 'node:crypto';
import type http from 'node:http';
import type https from 'node:https';
import type tls from 'node:tls';
import type zlib from 'node:zlib';

const once = <T>(load: () => T): (() => T) => {
  let loaded: T | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
};

export const nodeCrypto: () => typeof crypto = once(() => process.getBuiltinModule('node:crypto'));
export const nodeHttp: () => typeof http = once(() => process.getBuiltinModule('node:http'));
export const nodeHttps: () => typeof https = once(() => process.getBuiltinModule('node:https'));
export const nodeZlib: () => typeof zlib = once(() => process.getBuiltinModule('node:zlib'));
export const nodeTls: () => typeof tls = once(() => process.getBuiltinModule('node:tls'));
