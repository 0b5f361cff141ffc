/**
 * Makes whose name is spelled in several ways, or not as title case would have it: `Name = other spelling, ...`.
 * Everything else is a make of its own.
 */
export const makeSpellings = `
  Acura; Alfa Romeo = Alfa; AM General; American Motors = AMC; Aston Martin = Aston; Audi; Bentley;
  BMW = Bayerische Motoren Werke; BrightDrop; Buick; BYD; Cadillac = Caddy; Can-Am;
  Chevrolet = Chevy, Chev, Chevorlet, Chevrolete, Cheverolet, Chevrolet Truck; Chrysler = Chysler; Daewoo; Daihatsu;
  Dodge = Dodge Truck; Ducati; Eagle; Ferrari; Fiat; Fisker; Ford = Ford Motor, Ford Motor Company, Ford Truck;
  FCCC = Freightliner Custom Chassis; Freightliner; Genesis; Geo; GMC = GMC Truck; Harley-Davidson = Harley, Harley Davidson Motorcycle;
  Hino; Honda; Hummer = AM General Hummer; Hyundai = Hyundia, Hundai; IC Bus; Infiniti = Infinity; Ineos; International = Navistar, International Harvester;
  Isuzu; Jaguar; Jeep; Karma; Kawasaki; Kenworth; Kia = Kia Motors; KTM; KZRV; Lamborghini; Land Rover = Range Rover;
  Lexus; Lincoln; Lotus; Lucid = Lucid Motors; Mack; Maserati; Maybach; Mazda; MCI; McLaren;
  Mercedes-Benz = Mercedes, Mercedes Benz, Mercedesbenz Truck, Mercedes-Benz USA, Benz, MB, Merc;
  Mercedes-Maybach; Mercury; Merkur; MG; MINI = Mini Cooper, BMW Mini; Mitsubishi; Mitsubishi Fuso = Fuso; Nissan = Nisan;
  Oldsmobile = Olds; Peterbilt; Peugeot; Pierce; Plymouth; Polaris; Polestar; Pontiac; Porsche; RAM = Ram Truck, Ram Trucks; Renault; Rivian;
  Rolls-Royce = Rolls; Royal Enfield; Saab; Saturn; Scion; smart = Smart Car, Smart Fortwo; SRT; Sterling; Subaru = Subura; Suzuki; Tesla = Tesla Motors;
  Thomas Built Buses; Toyota = Toyta, Toyota Truck; Triumph; VinFast; Volkswagen = VW, Volkswagon, Volks Wagen; Volvo = Volvo Cars; Volvo Truck = Volvo Trucks; Western Star; Winnebago; Yamaha; Yugo; ZAP;
`
