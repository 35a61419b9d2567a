/** The tenants of each class, as `PROTOSMITH_TENANT_CLASSES` has them. */
export type TenantClasses = Readonly<Record<string, readonly string[]>>;

/**
 * The class of a tenant, for labels of metrics: the first class that names it; `default` for the tenant of that name,
 * which jobs without a tenant have; `other` for every other tenant, so that producers cannot make labels; `unknown`
 * where a job's data do not tell.
 */
export function tenantClassOf(tenant: string | null, classes: TenantClasses): string {
  if (tenant === null) return 'unknown';
  const [found] = Object.entries(classes).find(([, tenants]) => tenants.includes(tenant)) ?? [];
  return found ?? (tenant === 'default' ? 'default' : 'other');
}
