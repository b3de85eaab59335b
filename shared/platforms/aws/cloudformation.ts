/** The few words of CloudFormation that what is made here needs. */
export type Cfn = string | { readonly [key: string]: Cfn | readonly Cfn[] };

export const sub = (text: string): Cfn => ({ 'Fn::Sub': text });
export const attribute = (resource: string, name: string): Cfn => ({ 'Fn::GetAtt': [resource, name] });
export const ref = (resource: string): Cfn => ({ Ref: resource });
