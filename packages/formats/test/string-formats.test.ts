import t from 'tap'
import { violation } from '../../../generated/mock-check.ts'
import { knownFormat } from '../../check/src/schema/formats.ts'
import { tools } from '../../fastify/src/contract/compiled.ts'
import { fits } from '../../generator/src/defaults.ts'
import { stringFormats } from '../src/index.ts'

const long = (length: number, of = 'a') => of.repeat(length)
const labels = (count: number) => Array.from({ length: count }, () => long(61)).join('.')

/** Examples from the RFCs, and from the optional part of the JSON Schema test suite. */
const cases: Record<string, { valid: string[]; invalid: string[] }> = {
  date: {
    valid: ['1963-06-19', '2024-02-29', '2000-02-29', '0000-02-29', '9999-12-31', '2026-01-31', '2026-04-30'],
    invalid: [
      ...['2023-02-29', '1900-02-29', '2026-02-30', '2026-04-31', '2026-00-01', '2026-13-01', '2026-01-00'],
      ...['2026-01-32', '', '26-01-01', '2026-1-01', '2026-01-1', '+2026-01-01', '12026-01-01', '2026/01/01'],
      ...['2026-350', '2026-W01', '2026-01-01\n', ' 2026-01-01', '2026-01-01Z', '2026-01-01T00:00:00Z'],
      ...['1963-06-1৪']
    ]
  },
  'date-time': {
    valid: [
      ...['1963-06-19T08:30:06Z', '1963-06-19T08:30:06.283185Z', '1985-04-12T00:59:59.999999999999999Z'],
      ...['1937-01-01T12:00:27.87+00:20', '1990-12-31T15:59:50.123-08:00', '1963-06-19t08:30:06.283185z'],
      ...['2026-01-01T00:00:00-00:00', '2026-01-01T00:00:00+23:59', '0000-01-01T00:00:00Z', '1998-12-31T23:59:60Z'],
      ...['1998-12-31t23:59:60z', '2015-06-30T23:59:60Z', '1990-12-31T15:59:60-08:00'],
      ...['1998-12-31T15:59:60.123-08:00', '2017-01-01T00:59:60+01:00', '2015-07-01T05:29:60+05:30']
    ],
    invalid: [
      ...['1985-04-12T23:20:50+01', '1985-04-12T23:20:50+0100', '1985-04-12T23:20:50', '1985-04-12T23:20Z'],
      ...['2016-12-31T24:59:60+01:00', '1990-12-31T24:00:00Z', '1990-12-31T15:60:00Z', '1990-12-31T15:59:61Z'],
      ...['1990-12-31T15:59:59-24:00', '1990-12-31T10:00:00+10:60', '1990-02-31T15:59:59Z'],
      ...['1990-12-31T15:59:59.Z', '1998-12-31T23:58:60Z', '1998-12-31T22:59:60Z', '1998-12-31T23:59:60+01:00'],
      ...['1998-12-30T23:59:60Z', '1998-11-30T23:59:60Z', '2017-01-01T00:59:60Z', '2016-12-31T00:59:60+01:00'],
      ...['2017-01-01T23:59:60Z', '1990-12-31 15:59:59Z', '1990-12-31_15:59:59Z'],
      ...['1963-06-19T08:30:06.28123+01:00Z', '+11963-06-19T08:30:06Z', '', 'yesterday', '1963-06-19', '08:30:06Z'],
      ...['1963-06-1৪T00:00:00Z', '1985-04-12T23:20:50Z\n', '1985-04-12T23:20:50,5Z']
    ]
  },
  time: {
    valid: [
      ...['08:30:06Z', '08:30:06z', '23:20:50.52Z', '08:30:06+00:20', '12:34:56-00:00'],
      ...['00:00:00.000000000000001Z', '23:59:60Z', '23:59:60.5Z', '23:59:60+00:00', '01:29:60+01:30'],
      ...['23:29:60+23:30', '15:59:60-08:00', '00:29:60-23:30']
    ],
    invalid: [
      ...['22:59:60Z', '23:58:60Z', '23:59:60+01:00', '23:59:60+00:30', '23:59:60-01:00', '23:59:60-00:30'],
      ...['24:00:00Z', '00:60:00Z', '00:00:61Z', '01:02:03+24:00', '01:02:03+00:60', '01:02:03Z+00:30'],
      ...['01:02:03+01', '', 'noon', '12:00:00', '12:00Z', '8:3:6Z', '08:30:06 PST', '01:01:01,1111', '1২:00:00Z'],
      ...['12:00:00Z\n']
    ]
  },
  duration: {
    valid: [
      ...['P4DT12H30M5S', 'P1Y2M3DT4H5M6S', 'P1Y2M', 'P1M2D', 'P1Y', 'P4W', 'P0D', 'PT0S', 'PT36H', 'PT1H2M'],
      ...['PT1M2S', 'P1DT12H', 'P1MT1S', 'P01D', `P${long(60, '9')}D`]
    ],
    invalid: [
      ...['P1Y2D', 'PT1H2S', 'P1Y2W', 'P1WT1H', 'P0Y1W', 'P2D1Y', 'P1D2H', 'P2S', 'PT1D', 'P', 'PT', 'P1YT', 'P1'],
      ...['1D', '', '-P1D', 'P-1D', 'PT0.5S', 'PT0,5S', 'P1e2D', ' P1D', 'P1D ', 'P1D\n', 'P২Y', 'P1D2T3H']
    ]
  },
  email: {
    valid: [
      ...['joe.bloggs@example.com', 'a@localhost', '~te~st~@example.com', 'te.s.t@a-b.example', 'A+b=c@1.example'],
      ...['a@3com.com', '"joe bloggs"@example.com', '"joe..bloggs"@example.com', '"joe@bloggs"@example.com'],
      ...['"a\\"b\\\\"@example.com', '""@a.io', 'joe@[127.0.0.1]', 'joe@[IPv6:::1]', 'joe@[ipv6:2001:db8::1]'],
      ...[`${long(64)}@example.com`]
    ],
    invalid: [
      ...['', '2962', '@example.com', 'joe@', 'joe@@example.com', '.test@example.com', 'test.@example.com'],
      ...['te..st@a.io', 'joe bloggs@example.com', 'joe@invalid=domain.com', 'joe@-a.io', 'joe@a-.io', 'joe@a..io'],
      ...['joe@a.io.', 'joe@[127.0.0.300]', 'joe@[127.0.0]', 'joe@[IPv6:1::2::3]', 'joe@[::1]', '"joe@example.com'],
      ...['"a"b"@example.com', '"a\n"@example.com', 'a@b.io, c@d.io', '"Joe" <joe@a.io>'],
      ...[`${long(65)}@example.com`, 'joe@exämple.com', 'jöe@example.com', 'a@b.io\n'],
      ...[`a@${labels(5)}`]
    ]
  },
  hostname: {
    valid: [
      ...['www.example.com', 'localhost', '1host', 'hostnam3', 'host-name', 'a--b.com', '3com.com', '1.2.3', 'a.1'],
      ...[`${long(63)}.com`, `${labels(4)}.abcd`, 'XN--9N2BP8Q.xn--9t4b11yi5a'],
      ...['xn--zca29lwxobi7a', 'xn--qmbc', 'xn--ll-0ea', 'xn--wva3je', 'xn--4dbc5h', 'xn--4dbc8h', 'xn--k8j5u'],
      ...['xn--bck0j', 'xn--vek778f', 'xn--ngba1o', 'xn--0-gyc', 'xn--11b2ezcw70k', 'xn--11b2ezcs70k'],
      ...['xn--ngba5hb2804a', 'xn--mnchen-3ya.example', 'xn--fa-hia', 'xn--p1ai']
    ],
    invalid: [
      ...['', '.', '.example', 'example.', 'a..b', '-hostname', 'hostname-', 'a.-b', 'a-.b', 'host_name'],
      ...['host name', 'exämple.com', 'example．com', '\u212aelvin.example.com', 'example.com\n', '192.0.2.1'],
      ...[`${long(64)}.com`, `${labels(4)}.abcdefg`, 'xn--X', 'xn--', 'xn--a', 'a.xn--abc-'],
      ...['xn--07jt112bpxg.xn--9t4b11yi5a', 'xn--hello-txk', 'xn--hello-zed', 'xn--hello-6bf', 'xn--chb89f'],
      ...['xn--07jceefgh4c', 'xn--al-0ea', 'xn--l-fda', 'xn--la-0ea', 'xn--l-gda', 'xn--S-jib3p', 'xn--wva3j'],
      ...['xn--A-2hc5h', 'xn--5db1e', 'xn--A-2hc8h', 'xn--5db3e', 'xn--defabc-k64e', 'xn--vek', 'xn--ngb6iyr'],
      ...['xn--11b2er09f', 'xn--02b508i', 'XN--aa---o47jg78q'],
      ...['xn--99999999999999999999999999999999999999999999999999']
    ]
  },
  ipv4: {
    valid: ['192.0.2.1', '0.0.0.0', '255.255.255.255', '1.10.100.200'],
    invalid: [
      ...['', '127.0.0.0.1', '256.0.0.1', '127.0', '0x7f000001', '2130706433', '087.10.0.1', '1.2.3.04'],
      ...['192.168.1.0/24', '1.2.3.4\n', ' 1.2.3.4', '1২7.0.0.1', '1.2.3.', '.1.2.3.4', '1..2.3']
    ]
  },
  ipv6: {
    valid: [
      ...['::1', '::', '::42:ff:1', 'd6::', '1:d6::42', '1::d6:192.168.0.1', '1:2::192.168.0.1'],
      ...['::ffff:192.168.0.1', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '2001:DB8::FfFf'],
      ...['1000:1000:1000:1000:1000:1000:255.255.255.255']
    ],
    invalid: [
      ...['', '12345::', '::abcef', '1:1:1:1:1:1:1:1:1', '::laptop', ':2:3:4:5:6:7:8', '1:2:3:4:5:6:7:'],
      ...[':2:3:4::8', '1::d6::42', '1::2:192.168.256.1', '1::2:192.168.ff.1', '::ffff:192.168.0.01', ':::'],
      ...['1:2:3:4:5:6:7', '1', '127.0.0.1', 'fe80::a%eth1', 'fe80::/64', '::1\n', '1:2:3:4:5:6:7:8::'],
      ...['1:2:3:4:1.2.3', '::1২']
    ]
  },
  uri: {
    valid: [
      ...['http://localhost:3000/x', 'http://web:8080/hook', 'http://my_host.internal/x', 'http://h:/', 'http://'],
      ...['file:///etc/hosts', 'http://foo.bar/?baz=qux#quux', 'http://foo.com/blah_(wikipedia)_blah#cite-1'],
      ...["http://-.~_!$&'()*+,;=:%40@example.com", 'a:', 'http://223.255.255.254'],
      ...['ftp://ftp.is.co.za/rfc/rfc1808.txt', 'ldap://[2001:db8::7]/c=GB?objectClass?one', 'tel:+1-816-555-1212'],
      ...['urn:oasis:names:specification:docbook:dtd:xml:4.1.2', 'mailto:John.Doe@example.com'],
      ...['http://[v1.fe:d]/', 'HTTP://A%20b/%7e', 'a:/b', 'http://example.com:65536/', 'http://256.1.1.1/'],
      ...['x://y?a/b?c#d/e?f', 'data:,a', 'http://[::ffff:1.2.3.4]:8080/']
    ],
    invalid: [
      ...['', 'http://h:abc/', '//foo.bar/', '/abc', 'abc', '\\\\WINDOWS\\fileshare', 'http:// shouldfail.com'],
      ...[':// fail', 'bar,,:baz', '1http://a', 'h_t:a', 'http://a b', 'http://a/<', 'http://a/"', 'http://a/{b}'],
      ...['http://a/|', 'http://a/^', 'http://a/`', 'http://a/\\', 'http://a/%', 'http://a/%2', 'http://a/%2g'],
      ...['http://ex%ample.com', 'http://[::1', 'http://::1]/', 'http://[a]/', 'http://[]/'],
      ...['http://[::ffff:01.2.3.4]', 'http:/[::1]', 'http://a@b@c/', 'http://a/ü', 'http://ü/', 'http://a#b#c'],
      ...['http://[::1]a/', 'http://a\n', 'http://user:[a]@h/', 'http://h:80:80/', 'http://[fe80::1%25en0]/']
    ]
  },
  'uri-reference': {
    valid: [
      ...['http://foo.bar/?baz=qux#quux', '//foo.bar/?a=b#c', '/abc', 'abc', '../b', './a:b', '?a=b', '#c', ''],
      ...['//', '//h:80', '/a//b', 'a/b:c', '//[::1]:8080/p', '//u:p@h', '%41', '/', '.', 'a?b#c', 'a@b', 'urn:a'],
      ...['a;b=c']
    ],
    invalid: [
      ...['\\\\WINDOWS\\fileshare', '#frag\\ment', '/a"b', '/[::1]', '//example.com:abc/p', '//a@b@example.com/'],
      ...['1:b', ':a', '_:a', '//[::ffff:192.168.0.01]/p', 'a b', '/ü', '#a#b', '%', '/%2', '{a}', 'http://h:abc/'],
      ...['/a\n', '//[a]']
    ]
  },
  'uri-template': {
    valid: [
      ...['http://example.com/dictionary/{term:1}/{term}', 'dictionary/{term}', '', 'a%41b', 'a😀b', 'aüb', "a'b"],
      ...['{a.b}', '{%41}', '{_}', '{+var}', '{#var}', '{.var}', '{/var}', '{;var}', '{?var}', '{&var}', '{=var}'],
      ...['{|var}', '{var*}', '{x,y}', '{x*,y:3,z}', '{v:9999}', '{a}{b}', '{1a}', '{a.b.c}', '[a]']
    ],
    invalid: [
      ...['{', '}', '{}', 'a/{b', 'foo}bar', '{a,,b}', '{a,}', '{v:0}', '{v:01}', '{v:10000}', '{v:}'],
      ...['{a..b}', '{.}', '{.a.}', '{a*:1}', '{a b}', '{var=def}', '{,+var}', '{++a}', '{ü}', '{{a}}', 'a b'],
      ...['a\u007fb', 'a"b', 'a<b', 'a\\b', 'a^b', 'a`b', 'a|b', '%', '%4', '{%4}', '{a}\n']
    ]
  },
  url: {
    valid: [
      ...['http://localhost:3000/x', 'http://web:8080/hook', 'http://my_host.internal/x', 'https://10.0.0.1/'],
      ...['amqp://broker', 'mailto:a@b.io']
    ],
    invalid: ['', 'b', '/a', 'http://h:abc/', 'http://a b/', 'example.com']
  },
  uuid: {
    valid: [
      ...['2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2EB8AA08-AA98-11EA-B4AA-73B441D16380'],
      ...['2eb8aa08-AA98-11ea-B4Aa-73B441D16380', '00000000-0000-0000-0000-000000000000'],
      ...['ffffffff-ffff-ffff-ffff-ffffffffffff', '98d80576-482e-f427-8434-7f86890ab222'],
      ...['0190b6a5-1b1b-7b1b-8b1b-0190b6a51b1b']
    ],
    invalid: [
      ...['urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380', '{2eb8aa08-aa98-11ea-b4aa-73b441d16380}'],
      ...['2eb8aa08aa9811eab4aa73b441d16380', '', '1', '2eb8aa08-aa98-11ea-b4aa-73b441d1638'],
      ...['2eb8aa08-aa98-11ea-b4aa-73b441d163800', '2eb8aa08-aa98-11ea-73b441d16380'],
      ...['2eb8aa08-aa98-11ea-b4ga-73b441d16380', '2eb8-aa08-aa98-11ea-b4aa73b44-1d16380'],
      ...['2eb8aa08-aa98-11ea-b4aa-73b441d16380\n']
    ]
  },
  'json-pointer': {
    valid: ['', '/', '//', '/foo/0', '/a~1b', '/m~0n', '/c%d', '/ ', '/k"l', '/i\\j', '/ü', '/~01', '/\n'],
    invalid: ['a', '#', '#/', '/~', '/~2', '/foo/bar~', '/~0~', '/~-1', 'foo/bar', '0']
  },
  'relative-json-pointer': {
    valid: ['0', '1', '120', '0#', '0/foo/bar', '2/0/baz/1/zip', '0//', '1/a~0', '0+1', '0-1/a', '1-12#'],
    invalid: [
      ...['', '/foo', '-1/a', '+1/a', '01/a', '01#', '0##', '1#/a', '0/~2', '0/a~', '1\n', '١/a', '0+0/a', '0+'],
      ...['0+-1', 'a']
    ]
  },
  regex: {
    valid: ['', 'a+', '^[a-z]+$', '([abc])+\\s+$', '\\p{L}', '(?<a>b)\\k<a>', '(?=a)', '\\u{1f600}'],
    invalid: ['(', '[', '^(abc]', '\\Z', '\\a', 'a**', '*', '(?P<a>b)', '\\p{X}', 'a{2,1}', '{', '(?>a)']
  },
  byte: {
    valid: ['', 'YQ==', 'YWI=', 'YWJj', 'YW+/', 'YWJjZA=='],
    invalid: [
      ...['?', 'Y', 'YQ', 'YQ=', 'YQ===', '=', 'YW_-', 'YWJj\n', 'YWJj\nYQ==', '?\nYWJj', 'YQ==YQ==', ' YQ=='],
      ...['Y Q=', 'YÄ==']
    ]
  }
}

t.test('each format has the texts that its RFC describes, wherever texts are judged', async t => {
  t.strictSame(Object.keys(cases).toSorted(), Object.keys(stringFormats).toSorted(), 'every format has cases')
  for (const [format, { valid, invalid }] of Object.entries(cases)) {
    const judges: Record<string, (text: string) => boolean | undefined> = {
      'a service': tools.formats(format) as (text: string) => boolean,
      'a mock': text => violation({ format }, text, 'it') === undefined,
      'the generator, of a default': text => fits({ format }, text, each => each),
      'the contract check': knownFormat(format).holds
    }
    for (const [judge, isValid] of Object.entries(judges)) {
      t.strictSame(
        valid.filter(each => !isValid(each)),
        [],
        `${format} of ${judge}: what is valid`
      )
      t.strictSame(invalid.filter(isValid), [], `${format} of ${judge}: what is not`)
    }
  }
})

t.test('a long text takes a time that grows with its length alone', async t => {
  const pieces = [
    'a',
    'a.',
    'a-',
    '%41',
    ':',
    '/',
    '~0',
    '0',
    '1:',
    '{a}',
    '@',
    '"',
    '?',
    '#',
    'a@',
    '9',
    '\\',
    'xn--',
    '.',
    'YWJj',
    '=',
    'ü',
    '{a,'
  ]
  const starts = ['', 'a:', 'a://', '//', 'P', '"', 'xn--', '2026-01-01T00:00:00.', '{', '/', 'a@', '::']
  for (const format of Object.keys(stringFormats)) {
    const isValid = tools.formats(format) as (text: string) => boolean
    let longest = 0
    for (const start of starts)
      for (const piece of pieces) {
        const text = `${start}${piece.repeat(20_000 / piece.length)}\0`
        // Of this thread: other work of the machine does not count.
        const before = process.threadCpuUsage()
        isValid(text)
        longest = Math.max(longest, process.threadCpuUsage(before).user / 1000)
      }
    t.ok(longest < 250, `${format}: ${longest.toFixed(1)} ms of CPU time`)
  }
})
