/** Labels that instance types have for the choice, and that no node gets. */
import { labels } from '../../../nodes/claims/spec/well-known.ts';

/** Types that share a quota have it, so that one refusal speaks for all of them. */
export const quotaClassLabel = 'poolwright.dev/ec2-quota-class';

/** One deployment may buy in several accounts, and each class has its own subnets and reservations. */
const accountLabel = 'poolwright.dev/ec2-account';
const ownClassLabel = 'poolwright.dev/ec2-class';

const internal: ReadonlySet<string> = new Set([quotaClassLabel, accountLabel, ownClassLabel]);
export const isOnNodes = (key: string): boolean => !internal.has(key);

/** Where types are bought, and for whom. */
export interface Buyer {
  /** `own` where no role says which account it is. */
  account: string;
  region: string;
  clusterName: string;
}

/** What all types have that one account sells in a region: its quotas hold for these. */
export const accountLabels = ({ account, region }: Buyer): Record<string, string> => ({
  [labels.region]: region,
  [accountLabel]: account,
});

/** What all types have that are bought with one class: what its subnets and reservations lack, others may have. */
export const classLabels = (buyer: Buyer, className: string): Record<string, string> => ({
  ...accountLabels(buyer),
  [ownClassLabel]: `${buyer.clusterName}/${className}`,
});
