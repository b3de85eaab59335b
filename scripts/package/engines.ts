/**
 * What packages that we publish or deploy ask for; `cli/node-version.js` checks the same. Our own package.json does not say it: npm would compare it
 * with the Node that runs npm, and a clone brings the Node that runs the project.
 */
export const engines = { node: '>=24.2' };
