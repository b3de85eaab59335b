/** `poolwright clusters create`: requests from files, or one from parameters. What exists already with the same spec stays as it is. */
import type { JsonObject } from '../../../shared/base/json.ts';
import type { Parameter } from '../../../shared/clusters/request/parameter-names.ts';
import { requestFromParameters } from '../../../shared/clusters/request/parameters.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import { type ReadFiles, readRequests } from './plan/read.ts';
import { withRequests } from './requests/open.ts';
import type { CreatedRequest, Requests, RequestsChoice } from './requests/requests.ts';

export interface CreateOptions extends RequestsChoice {
  filename?: string[];
  output: DocumentFormat;
}

interface Wanted {
  /** Where its author finds it. */
  where: string;
  object: JsonObject;
}

export async function createClusters(
  options: CreateOptions,
  given: Readonly<Partial<Record<Parameter, string>>>,
  terminal: Terminal,
): Promise<number> {
  const { filename } = options;
  const namespace = options.namespace ?? 'default';
  const { wanted, failed } =
    filename === undefined
      ? { wanted: [fromParameters(given, namespace)], failed: [] }
      : fromFiles(await readRequests(filename, namespace), filename);
  const made = await withRequests(options, (requests) => createAll(requests, wanted, options));
  for (const text of failed) terminal.err(`${printable(text)}\n`);
  for (const { where, error } of made.refused) terminal.err(`${lined(where, error.message)}\n`);
  const text = (): string => made.created.map(sentence).join('');
  await printDocument({ items: made.created.map(document) }, text, options.output, terminal);
  for (const { request, findings } of made.created) {
    for (const { field, cause, fix } of findings) {
      terminal.err(`${printable(`${request.metadata.name}: warning: ${field}: ${cause}; ${fix}`)}\n`);
    }
  }
  return failed.length + made.refused.length > 0 ? exitCodes.failed : exitCodes.done;
}

/** One that is refused keeps no other from being created. A single one fails as its own error. */
async function createAll(requests: Requests, wanted: readonly Wanted[], { cluster }: CreateOptions) {
  const created: CreatedRequest[] = [];
  const refused: { where: string; error: UserError }[] = [];
  for (const { where, object } of wanted) {
    try {
      created.push(await requests.create(object, cluster));
    } catch (error) {
      if (!(error instanceof UserError) || wanted.length === 1) throw error;
      refused.push({ where, error });
    }
  }
  return { created, refused };
}

function fromParameters(given: Readonly<Record<string, unknown>>, namespace: string): Wanted {
  const made = requestFromParameters(given, namespace);
  if (made.ok) return { where: 'the parameters', object: made.value as unknown as JsonObject };
  const lines = made.problems.map(({ path, message }) => `${optionOf(path)} ${message}`);
  throw new UserError(lines.join('\n'), { code: 'InvalidOption' });
}

const optionOf = (parameter: string): string =>
  `--${parameter.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`)}`;

function fromFiles({ requests, unreadable, others }: ReadFiles, files: readonly string[]) {
  const failed = [...unreadable];
  for (const { file, line, object } of others) {
    const what = typeof object.kind === 'string' ? object.kind : 'this document';
    failed.push(`${file}:${line}: ${what} was not created: it is not a ClusterRequest.`);
  }
  const wanted: Wanted[] = [];
  for (const { manifest, object, problems } of requests) {
    const where = `${manifest.file}:${manifest.line}`;
    if (object !== undefined) wanted.push({ where, object: object as JsonObject });
    for (const { path, message } of problems) failed.push(`${where}: ${path} ${message}`);
  }
  if (requests.length === 0) {
    const message = [...failed, `There is no ClusterRequest that can be read in ${files.join(', ')}.`].join('\n');
    throw new UserError(message, { code: unreadable.length > 0 ? 'InvalidManifest' : 'NoClusterRequest' });
  }
  return { wanted, failed };
}

const lined = (where: string, text: string): string =>
  text
    .split('\n')
    .map((line) => printable(`${where}: ${line}`))
    .join('\n');

const sentence = ({ cluster, request, created }: CreatedRequest): string => {
  const { namespace, name } = request.metadata;
  const what = created ? 'is created' : 'exists already, with the same spec';
  const text = `${namespace}/${name} ${what} in ${cluster}. Watch it: poolwright clusters get ${name} -n ${namespace} -w`;
  return `${printable(text)}\n`;
};

const document = ({ cluster, request, created, findings }: CreatedRequest): object => ({
  cluster,
  created,
  request,
  findings,
});
