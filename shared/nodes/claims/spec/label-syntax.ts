/** The syntax of labels is the same for every product. */
export { labelDomain, labelKeyFault, labelValueFault } from '../../../base/label-syntax.ts';
