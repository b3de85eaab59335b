// Runs at the end of `npm ci` in a clone, by whatever Node runs npm: plain JavaScript. Removes what is installed and never read: the C headers
// of the Node that comes with the project, and source maps of libraries. That is a fifth of what npm puts on the disk.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const installed = fileURLToPath(new URL('../../node_modules', import.meta.url));

const isUnread = (folder, name) => name.endsWith('.map') || (name === 'include' && /[/\\]node-linux-\w+$/.test(folder));

function prune(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (isUnread(folder, entry.name)) rmSync(path, { recursive: true, force: true });
    else if (entry.isDirectory()) prune(path);
  }
}

prune(installed);
