/** Plugins that leave out what our functions do not use of a library, while it is bundled for a cloud: a cold start waits for all that is loaded. */
import { readFile } from 'node:fs/promises';
import { type Plugin, transform } from 'esbuild';

/** The Node that bundles are for. */
export const target = 'node24';

/**
 * The library of schemas brings its messages in fifty languages, half of its code. One import of it as a whole, such as that of the HTTP
 * library, would put them into the part that every function loads; nobody asks for another language than the default.
 */
export const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * The library of schemas compiles a function for each object that it checks. That pays after many checks; a function has made only a
 * few by the time it is ready.
 */
export const interpretedSchemas: Plugin = {
  name: 'interpreted-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]zod[/\\]v4[/\\]core[/\\]core\.js$/ }, async ({ path }) => ({
      contents: `${await shorten(path)}\nglobalConfig.jitless = true;`,
    }));
  },
};

/**
 * Whoever names the library of schemas gets all that its index names into the file that is loaded first, if any other part uses it. JSON
 * Schemas are made by few parts, and those name the file itself.
 */
export const schemasOnly: Plugin = {
  name: 'schemas-only',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]zod[/\\]v4[/\\](core[/\\]index|mini[/\\]external)\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(/^export .* from ".*json-schema.*";$/gm, ''),
    }));
  },
};

/** What `shared/observe/metrics.ts` takes of it. */
export const metricClasses = ['Registry', 'Counter', 'Gauge', 'Histogram', 'Summary'];

/**
 * The library of metrics brings what measures a process and sends to a gateway. Ours are our own, and are only read. Its classes are
 * loaded when the first metric is made, which is after a function is ready.
 */
export const ownMetrics: Plugin = {
  name: 'own-metrics',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]prom-client[/\\]index\.js$/ }, () => ({
      contents: `module.exports = { ${metricClasses.map((name) => `get ${name}() { return require('./lib/${name.toLowerCase()}'); }`).join(', ')} };`,
    }));
  },
};

/**
 * Short names within the functions of libraries: what is loaded is read more quickly. The names of the functions themselves, and all of
 * ours, stay: a stack trace is worth more than the bytes.
 */
export const shortNames: Plugin = {
  name: 'short-names',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]node_modules[/\\].*\.[cm]?js$/ }, async ({ path }) => {
      const known = shortened.get(path) ?? shorten(path);
      shortened.set(path, known);
      return { contents: await known };
    });
  },
};

/** Another version of a library may be written differently; that must not go unnoticed. */
export const changed = (text: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`a library no longer contains ${from}: see whether it is still needed`);
    return before.replace(from, () => to);
  }, text);

/** Many bundles hold the same libraries. */
const shortened = new Map<string, Promise<string>>();

async function shorten(path: string): Promise<string> {
  const { code } = await transform(await readFile(path), { minifyIdentifiers: true, target });
  return code;
}

/** What the HTTP library adds is for one class of schemas; it would name all of them. */
export const oneSchemaClass: Plugin = {
  name: 'one-schema-class',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]@hono[/\\]zod-openapi[/\\]dist[/\\]index\.mjs$/ }, async ({ path }) => ({
      contents: changed(await readFile(path, 'utf8'), {
        'import { z } from "zod";': 'import { ZodType } from "zod";',
        'extendZodWithOpenApi(z);': 'extendZodWithOpenApi({ ZodType });',
        ', extendZodWithOpenApi, z };': ' };',
      }),
    }));
  },
};
