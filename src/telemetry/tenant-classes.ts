/** The tenants of each class, as in `PROTOSMITH_TENANT_CLASSES`. */
export type TenantClasses = Readonly<Record<string, readonly string[]>>;

/**
 * The class of a tenant, for labels of metrics: the first class that names it; else `default` for the tenant `default`,
 * to which jobs without a tenant belong; `other` for every other tenant, so that producers cannot make labels;
 * `unknown` if the job's data do not name a tenant.
 */
export function tenantClassOf(tenant: string | null, classes: TenantClasses): string {
  if (tenant === null) return 'unknown';
  const [found] = Object.entries(classes).find(([, tenants]) => tenants.includes(tenant)) ?? [];
  return found ?? (tenant === 'default' ? 'default' : 'other');
}
