import { describe, expect, test } from 'vitest';
import { readReport } from './report.ts';

const it = (State: string, LeafNodeText: string) => ({
  LeafNodeType: 'It',
  ContainerHierarchyTexts: ['CEL/Validation', 'Tags'],
  LeafNodeText,
  State,
});

describe("Ginkgo's report", () => {
  test('has a name for each case that did not pass, skipped ones too', () => {
    const report = [{ SpecReports: [it('passed', 'one'), it('failed', 'two'), it('skipped', 'three')] }];
    expect(readReport(report)).toEqual({
      passed: 1,
      failed: ['CEL/Validation > Tags > two', 'CEL/Validation > Tags > three'],
    });
  });

  test('counts what runs around the cases only where it failed', () => {
    const around = (State: string) => ({ LeafNodeType: 'BeforeSuite', State, LeafNodeText: '' });
    expect(readReport([{ SpecReports: [around('passed'), it('passed', 'one')] }])).toEqual({ passed: 1, failed: [] });
    expect(readReport([{ SpecReports: [around('panicked')] }]).failed).toHaveLength(1);
  });
});
