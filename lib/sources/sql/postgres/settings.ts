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
