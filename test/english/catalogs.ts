/** Every catalog of texts for people, as data: a place and its text. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createProgram } from '../../cli/program.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { bridgeMetrics } from '../../functions/hosts/bridge/probes.ts';
import { fieldTexts, intro, sections } from '../../scripts/generate/configuration-texts.ts';
import { bridgeIntro, metricsEnd, metricsIntro } from '../../scripts/generate/metrics-texts.ts';
import { type DecisionCode, decisionCatalog, decisionText } from '../../shared/nodes/steps/report/decision-catalog.ts';
import { eventCatalog } from '../../shared/nodes/steps/report/event-catalog.ts';
import { errorGroups } from '../../shared/observe/errors/catalog.ts';
import { logEvents } from '../../shared/observe/log/events.ts';
import { createMetrics } from '../../shared/observe/metrics.ts';
import type { ProviderManifest } from '../../shared/providers/manifest.ts';
import { manifests } from '../../shared/providers/manifests.ts';
import { sampleDecisions } from './sample-decisions.ts';

export type Texts = readonly (readonly [place: string, text: string])[];

export interface TextCatalog {
  /** False while its texts are being rewritten. */
  readonly checked: boolean;
  texts(): Texts | Promise<Texts>;
}

export const catalogs: Readonly<Record<string, TextCatalog>> = {
  errors: { checked: true, texts: errorTexts },
  decisions: { checked: true, texts: decisionTexts },
  Events: { checked: true, texts: eventTexts },
  'log lines': { checked: true, texts: () => Object.entries(logEvents).map(([id, { text }]) => [id, text]) },
  'provider manifests': { checked: true, texts: manifestTexts },
  'command help': { checked: true, texts: helpTexts },
  configuration: { checked: true, texts: configurationTexts },
  metrics: { checked: true, texts: metricTexts },
  documentation: { checked: true, texts: documentationTexts },
};

const present = (place: string, text: string | undefined): Texts => (text === undefined ? [] : [[place, text]]);

const under = (place: string, texts: Readonly<Record<string, string>> = {}): Texts =>
  Object.entries(texts).map(([name, text]) => [`${place}.${name}`, text]);

function errorTexts(): Texts {
  return errorGroups.flatMap(({ title, entries }) => [
    ['title of a group', title] as const,
    ...Object.entries(entries).flatMap(([code, { cause, cure, more }]) => [
      ...present(`${code}, cause`, cause),
      ...present(`${code}, fix`, cure),
      ...present(`${code}, more`, more),
    ]),
  ]);
}

function decisionTexts(): Texts {
  const textsOf = <Code extends DecisionCode>(code: Code): Texts =>
    sampleDecisions[code].map((fields) => [code, decisionText(code, fields)]);
  return (Object.keys(decisionCatalog) as DecisionCode[]).flatMap(textsOf);
}

function eventTexts(): Texts {
  return Object.entries(eventCatalog).flatMap(([reason, { meaning, todo }]) => [
    [`${reason}, meaning`, meaning] as const,
    [`${reason}, what to do`, todo] as const,
  ]);
}

async function manifestTexts(): Promise<Texts> {
  const texts = await Promise.all(
    manifests.map(async (manifest: ProviderManifest) => {
      const { type, title, required, flags } = manifest;
      const { options, perCluster, notes = [] } = await manifest.texts();
      return [
        ...present(`${type}, title`, title),
        ...under(`${type}, required`, required),
        ...Object.values(flags).flatMap(({ flag, text, ask }) => [
          ...present(`${type}, ${flag}`, text),
          ...present(`${type}, question for ${flag}`, ask),
        ]),
        ...under(`${type}, options`, options),
        ...under(`${type}, per cluster`, perCluster),
        ...notes.flatMap((note) => present(`${type}, note`, note)),
      ];
    }),
  );
  return texts.flat();
}

function helpTexts(): Texts {
  let printed = '';
  const terminal = plainTerminal({
    out: (text) => {
      printed += text;
    },
    err: () => undefined,
  });
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const pathOf = (command: Command): string =>
    command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
  return all(createProgram('poolwright', terminal, async () => undefined)).map((command) => {
    printed = '';
    command.outputHelp();
    return [`${pathOf(command)} --help`, printed];
  });
}

async function configurationTexts(): Promise<Texts> {
  return [
    ['introduction', intro],
    ...sections.map(({ title, text }) => [title, text] as const),
    ...Object.entries(await fieldTexts()),
  ];
}

function metricTexts(): Texts {
  return [
    ['introduction', metricsIntro],
    ['introduction to the bridge', bridgeIntro],
    ['end of the page', metricsEnd],
    ...[...createMetrics().describe(), ...bridgeMetrics].map(({ name, help }) => [name, help] as const),
  ];
}

/** Paragraph by paragraph, without what is quoted as code: that has the words of its source. */
function documentationTexts(): Texts {
  const repository = join(import.meta.dirname, '../..');
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: repository }).sort()];
  return pages.flatMap((page) =>
    readFileSync(join(repository, page), 'utf8')
      .replace(/^```.*?^```/gms, '')
      .replace(/`[^`]*`/g, 'x')
      .split(/\n\n+|\n(?=[|-])/)
      .map((text) => [page, text] as const),
  );
}
