#!/usr/bin/env node
// Plain JavaScript on purpose: a Node that is too old must get as far as this sentence.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Poolwright needs Node 22.19 or newer, and this is ${process.versions.node}. ` +
      `Run it through npm (npm start), which brings its own Node on Linux, or install a newer one.\n`,
  );
  process.exit(1);
}
const { main } = await import('./main.ts');
await main(process.argv.slice(2));
