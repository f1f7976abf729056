// What people type of who they are, as the calls want it.

// What is put between digits, of the many dashes that keyboards have.
const BETWEEN = /[\s\u00ad\u200b\u2010-\u2015\u2212()./-]/g;

// A national code without the country before it (ETSI EN 319 412-1, 5.1.3), and
// that country.
export function nationalCode(typed) {
  const [, country = "", code] = typed.toUpperCase().replace(BETWEEN, "").match(/^(?:PNO)?(LT|LV|EE)?(.*)$/);
  return { country, code };
}

export const codeIsWhole = (code) => /^[0-9]{11}$/.test(code);

// Of a whole code; Latvian ones have no check digit.
export function checkDigitFits(code, country) {
  if (country === "LV") return true;
  const sum = (weights) => weights.reduce((total, weight, i) => total + weight * Number(code[i]), 0) % 11;
  let check = sum([1, 2, 3, 4, 5, 6, 7, 8, 9, 1]);
  if (check === 10) check = sum([3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 10;
  return check === Number(code[10]);
}

// A number with its country, also where it is written as it is dialled at home.
export function phoneNumber(typed, country) {
  const number = typed.replace(BETWEEN, "");
  const atHome = country === "EE"
    ? /^(?:(?:\+|00)?372)?(?=5[0-9]{6,7}$)/
    : /^(?:(?:\+|00)?370)?[80]?(?=6[0-9]{7}$)/;
  return number.replace(atHome, country === "EE" ? "+372" : "+370").replace(/^00/, "+");
}

export const phoneIsSound = (number) => /^\+[0-9]{8,15}$/.test(number);
