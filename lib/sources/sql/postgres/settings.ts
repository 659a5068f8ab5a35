// With fewer digits, a double would be shown as another number.
const wanted = "('extra_float_digits', '1'), ('bytea_output', 'hex'), ('intervalstyle', 'postgres')"

/**
 * Sets the settings that shape the text of values, where the server, the database or the role has others, and returns a
 * row for each setting that it changed. It leaves alone the settings that change the meaning of values in the
 * application's own statements: TimeZone, DateStyle, search_path.
 */
export const settingsQuery = `
select set_config(wanted.name, wanted.value, false) from (values ${wanted}) as wanted(name, value)
where current_setting(wanted.name) <> wanted.value`

/**
 * Returns the configuration of a pool whose connections begin with `default_transaction_read_only`. Further settings
 * that connections begin with are kept, from wherever `pg` takes them.
 */
export function readOnlyConfig (config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const readOnly = '-c default_transaction_read_only=on'
  const address = config['connectionString']
  // The settings in the address would replace all others.
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  const given = url?.searchParams.get('options') ?? config['options'] ?? process.env['PGOPTIONS'] ?? ''
  const options = `${String(given)} ${readOnly}`.trim()
  if (url?.searchParams.has('options') !== true) return { ...config, options }
  url.searchParams.delete('options')
  return { ...config, connectionString: url.href, options }
}
