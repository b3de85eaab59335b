/**
 * What a management server says of its own API: every command with its parameters, and every field of its answers with its type.
 * Requests and answers are held against it, whoever made them.
 *
 * @example
 * const api = readApiDescription(partPath('goModule'));
 * const exchanges: Exchange[] = [];
 * const cloudstack = await startCloudStack({ onExchange: (one) => exchanges.push(one) });
 * expect(exchanges.flatMap((one) => api.problemsOf(one))).toEqual([]);
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../shared/base/json.ts';
import type { Exchange } from '../../sim/cloudstack/api.ts';

interface Field {
  name?: string;
  type?: string;
  response?: Field[];
}

interface Parameter {
  name: string;
  type: string;
  required: boolean;
}

interface Api {
  name: string;
  isasync: boolean;
  params: Parameter[];
  response: Field[];
}

const everywhere = new Set(['command', 'response', 'apikey', 'signature', 'signatureversion', 'expires', 'sessionkey']);
/** Its description says that it only tells whether it worked; recorded answers have the VM in them. */
const resultsAs: Readonly<Record<string, string>> = { scaleVirtualMachine: 'startVirtualMachine' };

/** Those of a name that no list of parameters gives: the keys of maps are free. */
const mapField = /^([a-z0-9]+)\[(\d+)\]\.(.+)$/i;

/** `goModule` is the directory of cloudstack-go. */
export function readApiDescription(goModule: string): ApiDescription {
  const text = readFileSync(join(goModule, 'generate/listApis.json'), 'utf8');
  return new ApiDescription((JSON.parse(text) as { api: Api[] }).api);
}

export class ApiDescription {
  readonly #apis: ReadonlyMap<string, Api>;

  constructor(apis: readonly Api[]) {
    this.#apis = new Map(apis.map((api) => [api.name, api]));
  }

  get size(): number {
    return this.#apis.size;
  }

  api(command: string): Api | undefined {
    return this.#apis.get(command);
  }

  /** What is wrong with a request and its answer, each as a line that says where. */
  problemsOf({ command, fields, status, body }: Pick<Exchange, 'command' | 'fields' | 'status' | 'body'>): string[] {
    return [...this.problemsOfRequest(command, fields, status), ...this.problemsOfAnswer(command, status, body)];
  }

  /** Requests that were refused may lack something: that is what they are refused for. */
  problemsOfRequest(command: string, fields: Readonly<Record<string, string>>, status = 200): string[] {
    const api = this.#apis.get(command);
    if (api === undefined) return [`${command}: there is no such command`];
    const problems: string[] = [];
    const given = new Set<string>();
    for (const [field, value] of Object.entries(fields)) {
      if (everywhere.has(field.toLowerCase())) continue;
      const [, map] = mapField.exec(field) ?? [];
      const name = (map ?? field).toLowerCase();
      const parameter = api.params.find((one) => one.name === name);
      if (parameter === undefined) problems.push(`${command}: there is no parameter ${field}`);
      else if ((parameter.type === 'map') !== (map !== undefined)) {
        problems.push(`${command}: ${field} ${map === undefined ? 'is a map and needs [0].key' : 'is no map'}`);
      } else if (status === 200 && !fitsParameter(parameter.type, value)) {
        problems.push(`${command}: ${field} is of type ${parameter.type}, not ${JSON.stringify(value.slice(0, 60))}`);
      }
      given.add(name);
    }
    if (status !== 200) return problems;
    for (const { name, required } of api.params) {
      if (required && !given.has(name)) problems.push(`${command}: the required ${name} is missing`);
    }
    return problems;
  }

  problemsOfAnswer(command: string, status: number, body: JsonObject): string[] {
    const api = this.#apis.get(command);
    if (api === undefined) return [];
    if (status !== 200) return problemsOfError(command, status, body);
    if (command === 'queryAsyncJobResult') return this.#problemsOfJob(body);
    if (api.isasync) return problemsOfAccepted(command, body);
    return this.#problemsOfResult(command, api, body);
  }

  /** What is inside the result of a job, or of a command that needs none: a list, an object by its name, or fields. */
  #problemsOfResult(command: string, api: Api, body: JsonObject): string[] {
    const { count, ...rest } = body;
    const names = Object.keys(rest);
    if (count !== undefined && (typeof count !== 'number' || count < 1)) return [`${command}: the count is ${count}`];
    if (names.length === 0) return [];
    const [name = ''] = names;
    const value = rest[name];
    const wrapped = names.length === 1 && typeof value === 'object' && value !== null;
    if (!wrapped) return fieldProblems(command, rest, api.response);
    if (Array.isArray(value)) {
      if (count === undefined) return [`${command}: a list without its count`];
      if (value.length === 0) return [`${command}: an empty list is left out, and here it is not`];
      return value.flatMap((one, index) => fieldProblems(`${command}.${name}[${index}]`, one, api.response));
    }
    return fieldProblems(`${command}.${name}`, value ?? null, api.response);
  }

  #problemsOfJob(body: JsonObject): string[] {
    const api = this.#apis.get('queryAsyncJobResult');
    const { jobresult, ...rest } = body;
    const problems = fieldProblems('queryAsyncJobResult', rest, api?.response ?? []);
    const { jobstatus } = body;
    if (jobstatus === 0 && jobresult !== undefined) problems.push('queryAsyncJobResult: a pending job has no result');
    if (jobstatus === 2 && (!isObject(jobresult) || typeof jobresult.errorcode !== 'number')) {
      problems.push('queryAsyncJobResult: a failed job has an errorcode in its result');
    }
    if (jobstatus === 1 && isObject(jobresult)) {
      const command = commandOf(body.cmd) ?? '';
      const made = this.#apis.get(resultsAs[command] ?? command);
      if (made !== undefined) problems.push(...this.#problemsOfResult(`${command} job`, made, jobresult));
    }
    return problems;
  }
}

/** `org.apache.cloudstack.api.command.admin.vm.DeployVMCmdByAdmin` → `deployVirtualMachine`. */
function commandOf(cmd: Json | undefined): string | undefined {
  if (typeof cmd !== 'string') return undefined;
  const [, name] = /\.(\w+?)Cmd(?:ByAdmin)?$/.exec(cmd) ?? [];
  if (name === undefined) return undefined;
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`.replace(/VM$/, 'VirtualMachine');
}

function problemsOfAccepted(command: string, body: JsonObject): string[] {
  const { id, jobid, ...more } = body;
  const problems = Object.keys(more).map((name) => `${command}: an accepted job has no ${name}`);
  if (typeof jobid !== 'string') problems.push(`${command}: an accepted job has a jobid`);
  if (id !== undefined && typeof id !== 'string') problems.push(`${command}: an id is a text`);
  return problems;
}

function problemsOfError(command: string, status: number, body: JsonObject): string[] {
  const { uuidList, errorcode, cserrorcode, errortext, ...more } = body;
  const problems = Object.keys(more).map((name) => `${command}: an error has no ${name}`);
  if (errorcode !== status) problems.push(`${command}: errorcode ${errorcode} under HTTP ${status}`);
  if (typeof errortext !== 'string') problems.push(`${command}: an error has a text`);
  if (!Array.isArray(uuidList)) problems.push(`${command}: an error has a uuidList`);
  if (cserrorcode !== undefined && typeof cserrorcode !== 'number')
    problems.push(`${command}: a cserrorcode is a number`);
  return problems;
}

function fieldProblems(where: string, value: Json, fields: readonly Field[]): string[] {
  if (!isObject(value)) return [`${where}: not an object`];
  return Object.entries(value).flatMap(([name, one]) => {
    const field = fields.find((other) => other.name === name);
    if (field === undefined) return [`${where}: there is no field ${name}`];
    return valueProblems(`${where}.${name}`, one, field);
  });
}

function valueProblems(where: string, value: Json, { type = '', response = [] }: Field): string[] {
  if (type === 'list' || type === 'set' || type.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${where}: is no list`];
    const inner = response.filter((field) => field.name !== undefined);
    if (inner.length === 0) return [];
    return value.flatMap((one, index) => fieldProblems(`${where}[${index}]`, one, inner));
  }
  const right = fitsField(type, value);
  return right ? [] : [`${where}: is of type ${type}, not ${JSON.stringify(value).slice(0, 60)}`];
}

const date = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$/;
const uuid = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|-1)$/i;

function fitsField(type: string, value: Json): boolean {
  switch (type) {
    case 'string':
    case 'uuid':
    case 'url':
    case 'imageformat':
    case 'status':
    case 'type':
    case 'state':
    case 'apikeyaccess':
      return typeof value === 'string';
    case 'integer':
    case 'int':
    case 'long':
    case 'short':
      return Number.isInteger(value);
    case 'float':
    case 'double':
    case 'bigdecimal':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'date':
      return typeof value === 'string' && date.test(value);
    default:
      return isObject(value);
  }
}

function fitsParameter(type: string, value: string): boolean {
  switch (type) {
    case 'uuid':
      return uuid.test(value);
    case 'integer':
    case 'long':
    case 'short':
      return /^-?\d+$/.test(value);
    case 'boolean':
      return /^(true|false)$/i.test(value);
    default:
      return true;
  }
}
