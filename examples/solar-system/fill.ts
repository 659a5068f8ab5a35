import { readFileSync } from 'node:fs'
import type { SqliteDatabase } from 'fastify-data-api'

const tables = {
  astronomers: 'astronomers.json',
  planets: 'planets.json',
  moons: 'moons.json',
  agencies: 'agencies.json',
  missions: 'missions.json',
  mission_visits: 'missionVisits.json',
  mission_moons: 'missionMoons.json'
} as const

type Table = keyof typeof tables

/** Creates the tables and inserts the data, unless an earlier start did so. Returns the number of rows. */
export function fill (db: SqliteDatabase, folder: string): number {
  const made = db.driver.prepare("select 1 from sqlite_schema where name = 'mission_moons'").all().length > 0
  if (!made) {
    // One transaction, so that an interrupted start leaves no tables behind.
    db.exec('begin')
    db.exec(schema)
    for (const [table, file] of Object.entries(tables)) insert(db, table as Table, `${folder}/${file}`)
    db.exec('commit')
  }
  return Object.keys(tables).reduce((sum, table) => sum + count(db, table), 0)
}

function insert (db: SqliteDatabase, table: Table, file: string): void {
  const items = JSON.parse(readFileSync(file, 'utf8')) as Array<Record<string, string | number | boolean | null>>
  for (const item of items) {
    const columns = Object.keys(item).map(name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))
    const values = Object.values(item).map(value => typeof value === 'boolean' ? Number(value) : value)
    db.driver.prepare(`insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
      .run(...values)
  }
}

function count (db: SqliteDatabase, table: string): number {
  const [row] = db.driver.prepare(`select count(*) as rows from ${table}`).all() as Array<{ rows: number }>
  return row?.rows ?? 0
}

const schema = `
create table astronomers (id integer primary key, name text not null unique, born integer, died integer,
  nationality text, biography text) strict;

create table planets (
  id integer primary key, name text not null unique, kind text not null, slug text not null unique,
  mean_radius_km real not null, mass_kg real,
  semi_major_axis_au real not null, orbital_period_days real not null, rotation_hours real, ringed integer not null,
  discovered_on text, discovery_year integer, discoverer_id integer references astronomers, symbol text
) strict;

create table moons (
  id integer primary key, name text not null unique, slug text not null unique,
  planet_id integer not null references planets, mean_radius_km real,
  mass_kg real, orbital_period_days real, discovery_year integer, discovered_on text,
  discoverer_id integer references astronomers
) strict;
create index moons_by_planet on moons (planet_id);
create index moons_by_discoverer on moons (discoverer_id);

create table agencies (
  id integer primary key, name text not null unique, full_name text not null, country text not null, founded integer,
  dissolved integer, website text
) strict;

create table missions (
  id integer primary key, name text not null unique, slug text not null unique,
  agency_id integer not null references agencies, launched_on text not null,
  launch_vehicle text, outcome text not null, crewed integer not null, ended_on text, mass_kg real, curator_note text
) strict;
create index missions_by_agency on missions (agency_id);
create index missions_by_launch on missions (launched_on, id);

create table mission_visits (
  id integer primary key, mission_id integer not null references missions,
  planet_id integer not null references planets, kind text not null, arrived_on text
) strict;
create index visits_by_mission on mission_visits (mission_id);
create index visits_by_planet on mission_visits (planet_id);

create table mission_moons (
  mission_id integer not null references missions, moon_id integer not null references moons,
  primary key (mission_id, moon_id)
) strict;
create index mission_moons_by_moon on mission_moons (moon_id);
`
