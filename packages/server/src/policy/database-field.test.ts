import { expect, it } from 'vitest';
import { databaseAddress } from './database-address.ts';
import { databaseField } from './database-field.ts';

it.each([
  ['postgres://me:secret@db.example.org:6432/holter?sslmode=require', 'db.example.org:6432/holter'],
  ['postgresql://db/holter', 'db/holter'],
  ['postgres:///holter', 'localhost/holter'],
  ['postgres:///holter?host=/run/postgresql', '/run/postgresql/holter'],
])('%s is a PostgreSQL database, shown without credentials', (url, place) => {
  expect(databaseAddress(url)).toEqual({ kind: 'postgres', url, place });
});

it.each(['sqlite', 'sqlite:', 'sqlite://'])('%s is the file in the data folder', (text) => {
  expect(databaseAddress(text)).toEqual({ kind: 'sqlite' });
});

it.each(['', 'mysql://db/holter', 'sqlite:///etc/passwd', 'postgres:holter', 'postgres://['])(
  '%s is no address',
  (text) => {
    expect(databaseAddress(text)).toBeNull();
  },
);

it.each(['postgres://me:secret@db/holter', 'postgres://db/holter?password=secret', 'mysql://me:secret@db/x'])(
  'holter.yaml refuses %s, and does not repeat it',
  (url) => {
    const reading = databaseField.read(url, 'database');
    expect(reading.problems.map(({ path }) => path)).toEqual(['database']);
    expect(JSON.stringify(reading)).not.toContain('secret');
  },
);
