// Plain JavaScript without modern syntax, on purpose: a Node that is too old must get as far as this sentence.
// cli/poolwright.js imports it first; npm scripts load it by `node --import ./cli/node-version.js`.
const oldest = [24, 2];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(
    `Poolwright needs Node ${oldest.join('.')} or newer, and this is ${process.versions.node}. ` +
      'Install a newer one; in a clone of the project, npm start brings its own on Linux.\n',
  );
  process.exit(1);
}
