/** Chart.yaml follows package.json, which is where the version is changed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { followVersion } from '../release/chart-package.ts';

followVersion(JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version);
