import { workflowConformance } from './conformance.ts';
import { makeSqliteHarness } from './sqlite-harness.ts';

workflowConformance('SQLite', makeSqliteHarness);
