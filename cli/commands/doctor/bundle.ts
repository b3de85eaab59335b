/** `poolwright doctor bundle`: what a bug report needs, in one archive, without secrets. */

import { existsSync, renameSync } from 'node:fs';
import { errorText } from '../../../shared/base/error-text.ts';
import { writePrivate } from '../../../shared/base/private-file.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { type TarFile, tarball } from '../../../shared/base/tar.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { configFile } from '../../reach/which-file.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { withoutSecrets } from '../../terminal/output/without-secrets.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import { written } from '../../terminal/write-problem.ts';
import { version } from '../../version.ts';
import { type Part, partsOf } from './bundle-parts.ts';
import { readme } from './bundle-readme.ts';
import { documentOf, examine } from './doctor.ts';
import { openPatient, type PatientOptions } from './patient.ts';
import { createScrubber } from './scrub.ts';
import { secretsAtHand } from './secrets-at-hand.ts';

/** Whoever made it, or unpacks it, may read it; nobody else. */
const forOneself = 0o600;

export interface BundleOptions extends PatientOptions {
  file?: string;
}

export async function bundle(options: BundleOptions, terminal: Terminal): Promise<number> {
  const now = systemClock.now();
  const file = options.file ?? `poolwright-bundle-${stamp(now)}.tgz`;
  if (existsSync(file)) {
    throw new UserError(`${file} already exists. Pass another file with --file, or remove it.`, {
      code: 'FileExists',
      exitCode: exitCodes.declined,
    });
  }
  terminal.err('Collecting; this takes a few seconds.\n');
  const { files, missing } = await collect(options, now);
  // Whole or not at all.
  written(file, () => {
    writePrivate(`${file}.partial`, tarball(files, { atMs: now, mode: forOneself }));
    renameSync(`${file}.partial`, file);
  });
  for (const { name, why } of missing) terminal.err(`not in it: ${printable(name)} (${printable(why)})\n`);
  terminal.out(`${file}\n`);
  terminal.err(
    `Recognizable secrets were removed. Names of clusters, nodes, claims and instances are still in it:\nreview it before you send it: tar xzf ${printable(file)}\n`,
  );
  return exitCodes.done;
}

/** `20260304T050607`. */
const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]/g, '').slice(0, 15);

async function collect(
  options: PatientOptions,
  now: number,
): Promise<{ files: TarFile[]; missing: { name: string; why: string }[] }> {
  const named = configFile(undefined);
  const loaded = named === undefined ? undefined : loadConfig(named, process.env);
  const config = loaded?.ok ? loaded.config : undefined;
  const scrub = createScrubber(secretsAtHand(options, process.env, config));
  const own: Part[] = [
    {
      name: 'versions.json',
      what: 'versions of the command and of Node',
      read: async () => ({
        poolwright: version,
        node: process.versions.node,
        platform: process.platform,
        arch: process.arch,
      }),
    },
    { name: 'doctor.json', what: 'what poolwright doctor finds', read: async () => documentOf(await examine(options)) },
    ...(loaded === undefined
      ? []
      : [
          {
            name: 'configuration.json',
            what: `the configuration of ${named} as the host reads it, or what is wrong with it`,
            read: async () => (loaded.ok ? withoutSecrets(loaded.config) : loaded.text),
          },
        ]),
  ];
  const patient = await openPatient(options);
  try {
    const parts = [...own, ...partsOf(patient)];
    const files: { name: string; what: string; text: string }[] = [];
    const missing: { name: string; what: string; why: string }[] = [];
    const read = await Promise.allSettled(parts.map((part) => part.read()));
    for (const [index, { name, what }] of parts.entries()) {
      const answer = read[index];
      if (answer?.status === 'fulfilled') {
        const { value } = answer;
        const text = typeof value === 'string' ? scrub.text(value) : JSON.stringify(scrub.value(value), null, 2);
        files.push({ name, what, text: `${text}\n` });
      } else {
        const why = errorText(answer?.reason);
        missing.push({ name, what, why: scrub.text(why) });
      }
    }
    const index = { name: 'README.md', text: readme({ files, missing, at: now }) };
    const packed = [index, ...files].map(({ name, text }) => ({ name: `poolwright-bundle/${name}`, content: text }));
    return { files: packed, missing };
  } finally {
    patient.close();
  }
}
