/**
 * Sets what shapes the text of values, where the server, the database or the role says otherwise, and gives a row for each setting that it changed.
 * With fewer digits a double would be shown as another number. Settings that say what values mean to the application's own statements are left alone:
 * TimeZone, DateStyle, search_path.
 */
export const settingsQuery = `
select set_config(wanted.name, wanted.value, false) from (values ('extra_float_digits', '1'), ('bytea_output', 'hex'), ('intervalstyle', 'postgres')) as wanted(name, value)
where current_setting(wanted.name) <> wanted.value`
