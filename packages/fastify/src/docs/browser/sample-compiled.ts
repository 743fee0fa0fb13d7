import { nameOf, textOf } from './sample-code.ts'
import type { SampleRequest } from './sample-request.ts'
import { doubleQuoted, isContentType, sentHeaders } from './sample-scripts.ts'

export const goSample = (request: SampleRequest): string => {
  const { method, url, body } = request
  const isFile = body instanceof Blob
  const text = (value: string) => (value.includes('\n') && !/[`\r]/.test(value) ? `\`${value}\`` : doubleQuoted(value))
  const check = ['\tif err != nil {', '\t\tpanic(err)', '\t}']
  const packages = [
    'fmt',
    'io',
    'net/http',
    ...(isFile ? ['os'] : []),
    ...(typeof body === 'string' ? ['strings'] : [])
  ]
  return [
    'package main',
    '',
    'import (',
    ...packages.map(name => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...(isFile ? [`\tbody, err := os.Open(${doubleQuoted(nameOf(body))})`, ...check] : []),
    ...(typeof body === 'string' ? [`\tbody := strings.NewReader(${text(body)})`] : []),
    `\trequest, err := http.NewRequest(${doubleQuoted(method)}, ${doubleQuoted(url)}, ${body === undefined ? 'nil' : 'body'})`,
    ...check,
    ...sentHeaders(request).map(
      ([name, value]) => `\trequest.Header.Set(${doubleQuoted(name)}, ${doubleQuoted(value)})`
    ),
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...check,
    '\tdefer response.Body.Close()',
    '\tcontent, err := io.ReadAll(response.Body)',
    ...check,
    '\tfmt.Println(response.StatusCode, string(content))',
    '}'
  ].join('\n')
}

export const javaSample = (request: SampleRequest): string => {
  const { method, url, body } = request
  // A text block takes away spaces at both ends of lines.
  const isPlain = (text: string) => text.includes('\n') && /^\S/.test(text) && !/\\|"""|"$|\r|[ \t](?:\n|$)/.test(text)
  const text = (value: string) => (isPlain(value) ? `"""\n${value}"""` : doubleQuoted(value))
  const publisher =
    body === undefined
      ? 'BodyPublishers.noBody()'
      : body instanceof Blob
        ? `BodyPublishers.ofFile(Path.of(${doubleQuoted(nameOf(body))}))`
        : `BodyPublishers.ofString(${text(String(body))})`
  return [
    'import java.net.URI;',
    'import java.net.http.*;',
    'import java.net.http.HttpRequest.BodyPublishers;',
    'import java.net.http.HttpResponse.BodyHandlers;',
    ...(body instanceof Blob ? ['import java.nio.file.Path;'] : []),
    '',
    'class Main {',
    '  public static void main(String[] args) throws Exception {',
    `    var request = HttpRequest.newBuilder(URI.create(${doubleQuoted(url)}))`,
    ...sentHeaders(request).map(([name, value]) => `      .header(${doubleQuoted(name)}, ${doubleQuoted(value)})`),
    `      .method(${doubleQuoted(method)}, ${publisher})`,
    '      .build();',
    '    var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());',
    '    System.out.println(response.statusCode() + " " + response.body());',
    '  }',
    '}'
  ].join('\n')
}

export const csharpSample = (request: SampleRequest): string => {
  const { method, url, body } = request
  const headers = sentHeaders(request)
  const type = headers.find(([name]) => isContentType(name))?.[1]
  const text = (value: string) =>
    value.includes('\n') && !/"""|\r/.test(value) ? `"""\n${value}\n"""` : doubleQuoted(value)
  const setType = (content: string, value: string) =>
    `${content}.Headers.ContentType = MediaTypeHeaderValue.Parse(${doubleQuoted(value)});`
  const part = ([name, value]: [string, string | Blob], index: number) => {
    const content = typeof value === 'string' ? value : textOf(value)
    if (content === undefined) {
      const file = doubleQuoted(nameOf(value as Blob))
      return [`form.Add(new StreamContent(File.OpenRead(${file})), ${doubleQuoted(name)}, ${file});`]
    }
    if (typeof value === 'string')
      return [`form.Add(new StringContent(${doubleQuoted(value)}), ${doubleQuoted(name)});`]
    const variable = `part${index + 1}`
    return [
      `var ${variable} = new StringContent(${doubleQuoted(content)});`,
      setType(variable, value.type),
      `form.Add(${variable}, ${doubleQuoted(name)});`
    ]
  }
  const content = () => {
    if (Array.isArray(body))
      return ['var form = new MultipartFormDataContent();', ...body.flatMap(part), 'request.Content = form;']
    const made =
      body instanceof Blob
        ? `StreamContent(File.OpenRead(${doubleQuoted(nameOf(body))}))`
        : `StringContent(${text(String(body))})`
    return [`request.Content = new ${made};`, ...(type === undefined ? [] : [setType('request.Content', type)])]
  }
  return [
    'using System.Net.Http.Headers;',
    '',
    'using var client = new HttpClient();',
    `using var request = new HttpRequestMessage(new HttpMethod(${doubleQuoted(method)}), ${doubleQuoted(url)});`,
    ...headers
      .filter(([name]) => !isContentType(name))
      .map(
        ([name, value]) => `request.Headers.TryAddWithoutValidation(${doubleQuoted(name)}, ${doubleQuoted(value)});`
      ),
    ...(body === undefined ? [] : content()),
    'using var response = await client.SendAsync(request);',
    'Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");'
  ].join('\n')
}
