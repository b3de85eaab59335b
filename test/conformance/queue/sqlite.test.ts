import { queueConformance } from './conformance.ts';
import { sqliteHarness } from './sqlite-harness.ts';

queueConformance('SQLite in a file', () => sqliteHarness('file'), { exact: true, modelRuns: 20 });
queueConformance('SQLite in memory', () => sqliteHarness('memory'), { exact: true, modelRuns: 150 });
