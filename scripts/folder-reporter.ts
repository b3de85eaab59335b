/** What a person reads while all tests run: a line per folder, and every failure in full. A few files are reported as vitest does. */
import { relative, sep } from 'node:path';
import { DefaultReporter, type TestModule, type TestSpecification } from 'vitest/node';

interface Folder {
  name: string;
  /** Files that have not ended. */
  left: number;
  passed: number;
  failed: number;
  skipped: number;
  ms: number;
}

/** Of fewer files, each is worth its own line. */
const manyFiles = 20;

export default class FolderReporter extends DefaultReporter {
  readonly #folders = new Map<string, Folder>();
  #hasManyFiles = false;

  constructor() {
    // The line that is redrawn in place would be cut into by ours.
    super({ summary: false });
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#folders.clear();
    this.#hasManyFiles = specifications.length >= manyFiles;
    for (const { moduleId } of specifications) this.#folderOf(moduleId).left++;
  }

  override printTestModule(module: TestModule): void {
    if (!this.#hasManyFiles) {
      super.printTestModule(module);
      return;
    }
    const state = module.state();
    if (state === 'queued' || state === 'pending') return;
    // Its failed tests, each with its name; what went wrong is told at the end, once.
    if (state === 'failed') super.printTestModule(module);
    const folder = this.#folderOf(module.moduleId);
    folder.left--;
    folder.ms += module.diagnostic().duration;
    for (const test of module.children.allTests()) {
      const result = test.result().state;
      if (result === 'passed' || result === 'failed' || result === 'skipped') folder[result]++;
    }
    if (folder.left === 0) this.log(lineFor(folder));
  }

  #folderOf(moduleId: string): Folder {
    const name = relative(this.ctx.config.root, moduleId).split(sep).slice(0, -1).slice(0, 2).join('/');
    const known = this.#folders.get(name) ?? { name, left: 0, passed: 0, failed: 0, skipped: 0, ms: 0 };
    this.#folders.set(name, known);
    return known;
  }
}

function lineFor({ name, passed, failed, skipped, ms }: Folder): string {
  const sign = failed > 0 ? '✗' : '✓';
  const others = [failed > 0 ? `${failed} failed` : '', skipped > 0 ? `${skipped} skipped` : ''].filter(Boolean);
  const counts = [`${passed} passed`, ...others].join(', ');
  return ` ${sign} ${name.padEnd(26)} ${`${(ms / 1000).toFixed(1)} s`.padStart(8)}   ${counts}`;
}
