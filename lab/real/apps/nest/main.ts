// A cattery on NestJS: controllers, DTO classes, @nestjs/swagger as its documentation shows it.
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import {
  Body,
  CanActivate,
  Controller,
  Delete,
  ExecutionContext,
  Get,
  HttpCode,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Put,
  Query,
  StreamableFile,
  UnauthorizedException,
  UploadedFile,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FileInterceptor } from '@nestjs/platform-express';
import {
  ApiBearerAuth,
  ApiBody,
  ApiConsumes,
  ApiOkResponse,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  DocumentBuilder,
  PartialType,
  SwaggerModule,
} from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';

class LoginDto {
  @ApiProperty({ example: 'ada' })
  @IsString()
  username: string;

  @ApiProperty()
  @IsString()
  password: string;
}

class CreateCatDto {
  @ApiProperty({ example: 'Mimi' })
  @IsString()
  name: string;

  @ApiProperty({ minimum: 0, description: 'In years.' })
  @IsInt()
  @Min(0)
  age: number;

  @ApiPropertyOptional({ type: [String], example: ['shy'] })
  @IsOptional()
  @IsArray()
  traits?: string[];

  @ApiProperty({ nullable: true, required: false, type: String })
  @IsOptional()
  owner?: string | null;
}

class UpdateCatDto extends PartialType(CreateCatDto) {}

class Cat extends CreateCatDto {
  @ApiProperty()
  id: number;
}

class ListQuery {
  @ApiPropertyOptional({ default: 1 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  page?: number;

  @ApiPropertyOptional({ default: 10, maximum: 50 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Max(50)
  limit?: number;
}

const USERS = new Map([['ada', 'correct horse']]);
const tokens = new Set<string>();

@Injectable()
class AuthGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const [kind, token] = String(context.switchToHttp().getRequest().headers.authorization ?? '').split(' ');
    if (kind !== 'Bearer' || !tokens.has(token)) throw new UnauthorizedException();
    return true;
  }
}

@Injectable()
class CatsService {
  readonly cats = new Map<number, Cat>();
  readonly photos = new Map<number, { name: string; type: string; bytes: Buffer }>();
  private next = 1;

  create(dto: CreateCatDto): Cat {
    const cat = { id: this.next++, ...dto };
    this.cats.set(cat.id, cat);
    return cat;
  }

  findOne(id: number): Cat {
    const cat = this.cats.get(id);
    if (!cat) throw new NotFoundException(`Cat #${id} not found`);
    return cat;
  }
}

@ApiTags('auth')
@Controller('auth')
class AuthController {
  @Post('login')
  @HttpCode(200)
  login(@Body() dto: LoginDto) {
    if (USERS.get(dto.username) !== dto.password) throw new UnauthorizedException('Wrong username or password');
    const access_token = randomBytes(16).toString('hex');
    tokens.add(access_token);
    return { access_token };
  }
}

@ApiTags('cats')
@ApiBearerAuth()
@UseGuards(AuthGuard)
@Controller('cats')
class CatsController {
  constructor(private readonly catsService: CatsService) {}

  @Post()
  create(@Body() dto: CreateCatDto): Cat {
    return this.catsService.create(dto);
  }

  @Get()
  @ApiOkResponse({ type: [Cat] })
  findAll(@Query() { page = 1, limit = 10 }: ListQuery): Cat[] {
    return [...this.catsService.cats.values()].slice((page - 1) * limit, page * limit);
  }

  @Get(':id')
  findOne(@Param('id', ParseIntPipe) id: number): Cat {
    return this.catsService.findOne(id);
  }

  @Put(':id')
  update(@Param('id', ParseIntPipe) id: number, @Body() dto: UpdateCatDto): Cat {
    return Object.assign(this.catsService.findOne(id), dto);
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@Param('id', ParseIntPipe) id: number): void {
    this.catsService.findOne(id);
    this.catsService.cats.delete(id);
  }

  @Post(':id/photo')
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' }, caption: { type: 'string' } } },
  })
  @UseInterceptors(FileInterceptor('file'))
  uploadPhoto(@Param('id', ParseIntPipe) id: number, @UploadedFile() file: any, @Body('caption') caption?: string) {
    this.catsService.findOne(id);
    this.catsService.photos.set(id, { name: file.originalname, type: file.mimetype, bytes: file.buffer });
    return { originalname: file.originalname, mimetype: file.mimetype, size: file.size, caption };
  }

  @Get(':id/photo')
  downloadPhoto(@Param('id', ParseIntPipe) id: number): StreamableFile {
    const photo = this.catsService.photos.get(id);
    if (!photo) throw new NotFoundException(`Cat #${id} has no photo`);
    return new StreamableFile(photo.bytes, { type: photo.type, disposition: `attachment; filename="${photo.name}"` });
  }
}

@Module({ controllers: [AuthController, CatsController], providers: [CatsService] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error'] });
app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
const config = new DocumentBuilder().setTitle('Cattery').setVersion('1.0').addBearerAuth().build();
SwaggerModule.setup('api', app, () => SwaggerModule.createDocument(app, config));
await app.listen(0, '127.0.0.1');
console.log(`listening on ${await app.getUrl()}`);
