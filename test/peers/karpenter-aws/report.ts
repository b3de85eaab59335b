/** What Ginkgo's report says of each case. */
export interface GinkgoReport {
  SpecReports?: readonly {
    LeafNodeType?: string;
    ContainerHierarchyTexts?: readonly string[] | null;
    LeafNodeText?: string;
    State?: string;
  }[];
}

/** Counts cases only: what runs before and after them is in the report too. A case that was skipped did not pass. */
export function readReport(suites: readonly GinkgoReport[]): { passed: number; failed: string[] } {
  const specs = suites.flatMap(({ SpecReports = [] }) => SpecReports);
  const broken = specs.filter(({ LeafNodeType, State }) => LeafNodeType !== 'It' && State !== 'passed');
  const cases = specs.filter(({ LeafNodeType }) => LeafNodeType === 'It');
  const nameOf = ({ ContainerHierarchyTexts, LeafNodeText }: (typeof specs)[number]): string =>
    [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' > ');
  return {
    passed: cases.filter(({ State }) => State === 'passed').length,
    failed: [...broken, ...cases.filter(({ State }) => State !== 'passed')].map(nameOf),
  };
}
